#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/engine/journal.h"
#include "store/rocks/directory.h"
#include "store/rocks/disk/disk_guard.h"

namespace rocksdb {
class DB;
class Env;
class Status;
}  // namespace rocksdb

namespace proa::store {

// The content of a database when it was opened.
struct Loaded {
  Keyspace keyspace;
  JournalFacts facts;
  // Names of records after a hole that a crash left among unacknowledged writes: to be deleted.
  std::vector<std::string> unacknowledged;
  // A key whose value is sealed, since there was no transformer; empty: none is.
  std::string sealed_key;
};

enum class Access : uint8_t { kCreate, kWrite, kRead };

// Closed with the last pointer.
using DatabasePtr = std::shared_ptr<rocksdb::DB>;

// `env`: for its files; null: the file system. `guard`: of the disk; null: none.
// kInsufficientStorage if the disk is full, else kInvalid.
Result<DatabasePtr> open_database(const std::string& path, Access access, rocksdb::Env* env,
                                  const std::shared_ptr<DiskGuard>& guard);

// Reads everything, once and in order, and verifies every checksum and that nothing is missing.
// kInvalid names the problem. `transformer`: reads the values, and its failures are returned; null:
// transformed ones stay sealed.
Result<Loaded> load_database(rocksdb::DB& database, const ValueTransformer* transformer);

// Verifies that the loaded content matches the label; advances the revision past what may have been
// lost.
Result<void> settle_revisions(const DirectoryLabel& label, Loaded& loaded);

// The number of the write-ahead log that is being written.
Result<uint64_t> current_log(rocksdb::DB& database);

// kInsufficientStorage if the disk is full, kInvalid for corruption, else kInternalError.
Status rocks_status(const rocksdb::Status& status);

}  // namespace proa::store
