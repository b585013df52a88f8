#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/etcd/wire/messages.h"
#include "store/store.h"

namespace proa::store::etcd {

// The keys by which an outcome whose answer was lost can be found out.
//
// Each transaction also writes its number to the marker, a key of this server, so that the marker's
// history tells which ones took place. And each demands that the fence is not there: once it is,
// none of them can take place any more that has not by then. Further ones have another session.
struct Session {
  std::string marker;
  std::string fence;
};

// A commit on its way, and its parts as they stand in etcd.
struct PendingCommit {
  Txn txn;
  CommitCallback done;
  Steady deadline;  // the answer is given by then
  std::vector<std::string> compared;
  std::vector<std::string> keys;
  std::vector<std::string> values;  // empty for deletes
  std::vector<int64_t> leases;      // zero: none
  // Of the last attempt.
  std::shared_ptr<const Session> session;
  uint64_t number = 0;
  Revision sent_at;     // it takes place behind this one, if it does
  bool marked = false;  // it writes the marker

  bool only_deletes() const;
  // Whether it changes something for certain if its compares hold, so that the marker costs no
  // revision.
  bool takes_revision() const;
};

using PendingPtr = std::shared_ptr<PendingCommit>;

// REQUIRES: its last attempt is described. `marker_lease`: the marker vanishes some time after its
// last use.
TxnRequest request_of(const PendingCommit& pending, const std::string& number,
                      int64_t marker_lease);
std::string_view key_of(const Operation& operation);

}  // namespace proa::store::etcd
