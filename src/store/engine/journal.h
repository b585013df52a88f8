#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/mvcc/keyspace.h"

namespace proa::store {

// What a journal remembers beside the changes.
struct JournalFacts {
  Revision compacted;
  // No revision above this was ever handed out for a change that was not durable yet. After a crash
  // revisions go on behind it.
  Revision ceiling;
  std::vector<Gap> gaps;

  bool operator==(const JournalFacts&) const = default;
};

// One atomic write: after a crash all of it is there, or nothing.
struct JournalWrite {
  std::span<const Event> changes;       // whole commits, in order
  std::span<const EntryPtr> garbage;    // written earlier, needed no more
  const JournalFacts* facts = nullptr;  // when they changed
  // The last revision that is known to be durable while this is written. Lets the reader of a torn
  // journal tell what nobody was promised from what is missing.
  Revision durable;
  bool sync = false;  // returns once it survives a power loss, with everything written before
};

// Where an engine puts changes so that they survive. Called by one thread at a time.
class Journal {
 public:
  virtual ~Journal() = default;

  // A failure leaves it open what is on disk: no further write may follow.
  virtual Result<void> write(const JournalWrite& write) = 0;
  virtual Result<void> checkpoint(const std::string& directory) = 0;
  // Everything is written and synced, and `revision` is the last; nothing follows.
  virtual Result<void> close(Revision revision) = 0;
  virtual uint64_t disk_bytes() const = 0;
};

}  // namespace proa::store
