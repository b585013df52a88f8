#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
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
  // About as much as the journal needs once it holds no garbage.
  uint64_t live_bytes = 0;
  bool sync = false;  // return only when this and everything before it survives a power loss
};

// The version of a key that a change wrote; null: it is not in memory any more.
using EntryFinder = std::function<EntryPtr(std::string_view key, Revision revision)>;

// What Journal::reencode() did.
struct Reencoded {
  std::string next;  // where to continue; empty: this was the end
  size_t examined = 0;
  size_t rewritten = 0;
  std::optional<Status> write_failure;  // as of Journal::write()
};

// What a journal's disk has room for.
enum class Room : uint8_t {
  kEnough,
  kReserve,  // the disk is full: what is left is for deletes and compaction
  kLittle,   // and most of that is used
};

// Persists an engine's changes. Called by one thread at a time, unless a method says otherwise.
class Journal {
 public:
  virtual ~Journal() = default;

  // After a failure the content on disk is unknown: reopen() must succeed before the next write.
  // kInsufficientStorage if the disk is full.
  virtual Result<void> write(const JournalWrite& write) = 0;
  // After a failure: brings the content back to the writes that succeeded. Unsynced ones may be
  // missing: returns the last revision that it holds, if its last one is not compacted.
  virtual Result<Revision> reopen() {
    return Status(Reason::kServiceUnavailable, "it cannot be reopened");
  }

  // Frees what garbage occupies on disk, as far as that is quick. False if it should be tried
  // again: there was no room for it. `live_bytes`: see JournalWrite.
  virtual bool reclaim(uint64_t live_bytes) {
    static_cast<void>(live_bytes);
    return true;
  }
  // Little was written for a while: gives back memory that only helps to write much. Does not
  // block.
  virtual void rest() {}
  // Creates the reserves again that were given up, and decides how much room there is; true if
  // there is enough and no reserve is missing.
  virtual bool restore_reserves() { return true; }

  // From any thread:
  // A failure outside of write(), such as of a flush in the background. Lasts until reopen().
  virtual std::optional<Status> trouble() const { return std::nullopt; }
  virtual Room room() const { return Room::kEnough; }
  // Whether a write of this size leaves room to compact it away again. If not, is_pressed().
  virtual bool has_room_for(uint64_t bytes) {
    static_cast<void>(bytes);
    return true;
  }
  // Whether reclaim() may be needed before the store can grow.
  virtual bool is_pressed() const { return false; }
  virtual DiskSpace disk() const { return {}; }
  // `changed` is called, on any thread, when one of these gets worse or a reserve was given up. It
  // must not block. REQUIRES: it outlives the journal.
  virtual void listen(std::function<void()> changed) { static_cast<void>(changed); }

  // The form of values on disk; see ValueTransformer. Null: as they are.
  virtual const ValueTransformer* transformer() const { return nullptr; }
  virtual void set_transformer(std::shared_ptr<const ValueTransformer> transformer) {
    static_cast<void>(transformer);
  }
  // Whether `reader` reads all values from `from` on, which is empty or what this returned: where
  // to continue. From any thread.
  virtual Result<std::string> verify_values(const ValueTransformer& reader,
                                            const std::string& from) const {
    static_cast<void>(reader);
    static_cast<void>(from);
    return Status(Reason::kMethodNotAllowed, "this store has no values on disk");
  }
  // Rewrites values with a stale form, from `from` on, some at a time. A crash leaves each with the
  // old form or the new one.
  virtual Result<Reencoded> reencode(const std::string& from, const EntryFinder& find) {
    static_cast<void>(from);
    static_cast<void>(find);
    return Status(Reason::kMethodNotAllowed, "this store has no values on disk");
  }
  // Leaves nothing in the files but what the journal holds. From any thread; may take long.
  virtual Result<void> purge(const std::stop_token& stop) {
    static_cast<void>(stop);
    return {};
  }

  virtual Result<void> checkpoint(const std::string& directory) = 0;
  // REQUIRES: everything is written and synced, and `revision` is the last; no write follows.
  virtual Result<void> close(Revision revision) = 0;
  virtual uint64_t disk_bytes() const = 0;
  virtual std::string id() const { return {}; }
};

}  // namespace proa::store
