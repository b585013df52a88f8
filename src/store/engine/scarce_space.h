#pragma once

#include "store/engine/journal.h"
#include "store/mvcc/keyspace.h"

namespace proa::store {

// Whether a nearly full disk has room for a transaction: for deletes, which free space later, and
// while most of the reserve is there, for small updates too, which precede many deletes.
bool fits(const Txn& txn, const Keyspace& state, Room room);

// The size of its values, if that is so much that the disk should be looked at first; else zero.
uint64_t large_bytes(const Txn& txn);

// kInsufficientStorage: the answer to those that do not fit.
Status full_disk_status(const DiskSpace& disk);

}  // namespace proa::store
