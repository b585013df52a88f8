#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/mvcc/keyspace.h"

namespace proa::store {

// What a journal records besides the changes.
struct JournalFacts {
  Revision compacted;
  // No higher revision was ever given to a change that was not durable yet. After a crash,
  // revisions continue after it.
  Revision ceiling;
  std::vector<Gap> gaps;

  bool operator==(const JournalFacts&) const = default;
};

// One atomic write: after a crash, all of it is there, or nothing.
struct JournalWrite {
  std::span<const Event> changes;       // whole commits, in order
  std::span<const EntryPtr> garbage;    // written earlier, no longer needed
  const JournalFacts* facts = nullptr;  // if they changed
  // The last revision that is durable when this is written. Lets the reader of a torn journal tell
  // unacknowledged writes from missing ones.
  Revision durable;
  bool sync = false;  // return only when this and everything before it survives a power loss
};

// Persists an engine's changes. Called by one thread at a time.
class Journal {
 public:
  virtual ~Journal() = default;

  // After a failure the content on disk is unknown: no further write may follow.
  virtual Result<void> write(const JournalWrite& write) = 0;
  virtual Result<void> checkpoint(const std::string& directory) = 0;
  // REQUIRES: everything is written and synced, and `revision` is the last; no write follows.
  virtual Result<void> close(Revision revision) = 0;
  virtual uint64_t disk_bytes() const = 0;
};

}  // namespace proa::store
