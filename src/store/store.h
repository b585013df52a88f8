#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "store/entry.h"
#include "store/value_transformer.h"

namespace proa::store {

using Key = std::string;

// Holds if the key's last version has this revision; zero: if the key does not exist.
struct Compare {
  Key key;
  Revision mod_revision;
};

struct Put {
  Key key;
  Bytes value;
  // The store deletes the key when this time has passed since the commit.
  std::optional<Duration> ttl = std::nullopt;
  // The offset at which the commit's revision is inserted into the value, in decimal digits: a
  // value can carry its own revision without being written twice.
  std::optional<size_t> stamp_at = std::nullopt;
};

// Deleting a key that does not exist changes nothing.
struct Delete {
  Key key;
};

using Operation = std::variant<Put, Delete>;

// Either all compares hold and all operations take effect under one new revision, or nothing does.
struct Txn {
  std::vector<Compare> compares;
  std::vector<Operation> operations;  // each key at most once
};

enum class Durability : uint8_t {
  kSynced,  // acknowledged, and visible to others, once it survives a power loss
  kLazy,    // acknowledged at once; a crash may lose the last second of these
  // The same for values that are rewritten soon, and not worth a write of their own: a crash may
  // lose the last minutes of these, if nothing else was written.
  kFleeting,
};

struct Committed {
  bool succeeded = false;  // whether the compares held
  // The revision of the commit; the current one if nothing changed.
  Revision revision;
  // On success: the new entry of each operation (null for a delete that found nothing). Otherwise:
  // the current entry of each compared key (null: none).
  std::vector<EntryPtr> entries;
};

using CommitCallback = std::function<void(Result<Committed>)>;

// Keys in [from, to); an empty `to` has no end.
struct KeyRange {
  Key from;
  Key to;

  static KeyRange prefix(std::string_view prefix);
};

struct RangeQuery {
  KeyRange keys;
  Revision revision;  // zero: the current one
  size_t limit = 0;   // zero: all
};

struct RangeResult {
  std::vector<EntryPtr> entries;  // ordered by key
  Revision revision;              // that was read; to continue, ask for it again
  bool more = false;              // the limit was reached; continue from the last key + '\0'
};

// One change of one key.
struct Event {
  EntryPtr entry;     // what the commit wrote; deleted() for a delete
  EntryPtr previous;  // the version before; null if the key did not exist

  bool is_create() const { return !entry->deleted() && previous == nullptr; }
};

struct WatchOptions {
  std::string prefix;
  // Only the key equal to the prefix: costs other watches nothing, however many such watches there
  // are.
  bool exact = false;
  // The first revision to report; zero: the next one. May be in the future.
  Revision from;
  // Called, on a thread of the store and outside of its locks, when next() has events after it had
  // none. Must not block. Not called once the watch is destroyed.
  std::function<void()> wake;
};

struct WatchBatch {
  std::vector<Event> events;
  // All events of the watched keys up to here were returned: the revision of a bookmark.
  Revision progress;
};

// A position in the history. Holds no events itself, so an idle or slow watch costs nothing. For
// one thread at a time; must be destroyed before its store.
class Watch {
 public:
  virtual ~Watch() = default;

  // The next events in order, about `max` of them: a revision is never split. Empty if there is
  // nothing new. Never blocks. kExpired if the events are compacted: read again, then watch from
  // there.
  virtual Result<WatchBatch> next(size_t max) = 0;
  // Whether next() may return events. From any thread, while the watch is not being destroyed:
  // false after a commit was acknowledged means that it changed no watched key.
  virtual bool has_events() const = 0;
  // Waits until next() may return events; false if `until` ends first.
  virtual bool wait(const Until& until) = 0;
};

struct StoreStats {
  Revision revision;
  Revision compacted;
  size_t keys = 0;
  size_t history = 0;       // changes in the history window
  size_t memory_bytes = 0;  // approximate: live and history entries
  size_t watches = 0;
  uint64_t commits = 0;        // since it was opened
  uint64_t synced_writes = 0;  // fsyncs that commits caused
  uint64_t disk_bytes = 0;
};

// Of the file system with a store's files; zeros if it has none.
struct DiskSpace {
  uint64_t free_bytes = 0;
  uint64_t total_bytes = 0;
};

struct StoreHealth {
  enum class State : uint8_t {
    kOk,
    kFull,    // the disk is full: only deletes and small updates are accepted
    kFailed,  // no write is accepted
  };
  State state = State::kOk;
  std::string cause = {};  // what is wrong and what to do; empty for kOk
  bool disk_full = false;  // that is why it is not kOk
  DiskSpace disk = {};

  bool ok() const { return state == State::kOk; }
};

// How far Store::reencode() is.
struct ReencodeProgress {
  enum class Stage : uint8_t {
    kRewriting,
    kVerifying,  // that nothing is left to rewrite
    kPurging,    // the former values from the files
  };
  Stage stage = Stage::kRewriting;
  size_t examined = 0;  // values of this stage
  size_t total = 0;     // about
  size_t rewritten = 0;
};
using ReencodeObserver = std::function<void(const ReencodeProgress&)>;

// Keys, values and revisions; knows no kinds. Thread-safe. Reads never touch the disk and never
// wait for it, or for another server.
class Store {
 public:
  virtual ~Store() = default;

  // Calls back, on some thread and outside of the store's locks, with the outcome. A failure
  // changes nothing, unless the process ends before the store has recovered from it: then the write
  // may have happened. kInsufficientStorage if the disk is full, kServiceUnavailable if it cannot
  // be written for another reason; the store recovers by itself once it can.
  virtual void commit(Txn txn, Durability durability, CommitCallback done) = 0;
  // The same, but blocks until the outcome; the calling thread does the work if there is no leader.
  virtual Result<Committed> commit(Txn txn, Durability durability) = 0;

  // Null if there is no such key. kExpired if the revision is no longer in the history window,
  // kBadRequest if it is in the future; also for range and count.
  virtual Result<EntryPtr> get(std::string_view key, Revision at) const = 0;
  Result<EntryPtr> get(std::string_view key) const { return get(key, Revision{}); }
  virtual Result<RangeResult> range(const RangeQuery& query) const = 0;
  virtual Result<size_t> count(const KeyRange& keys, Revision at) const = 0;
  virtual Revision revision() const = 0;

  virtual Result<std::unique_ptr<Watch>> watch(WatchOptions options) = 0;

  // The compares, and the operations, that one transaction may have.
  virtual size_t max_operations() const { return 4096; }

  // Whether other servers write the same data: reads may lag behind what they acknowledged, until
  // catch_up().
  virtual bool is_shared() const { return false; }
  // Calls back, on some thread and outside of the store's locks, once reads see every commit that
  // any server acknowledged before this call. kTimeout or kServiceUnavailable if that cannot be
  // known now.
  virtual void catch_up(std::function<void(Result<void>)> done) const { done({}); }
  // The same, but blocks.
  virtual Result<void> wait_until_caught_up(const Until& until) const {
    static_cast<void>(until);
    return {};
  }

  // Drops the history before `revision`: reads at it and watches from the next one still work.
  virtual Result<void> compact(Revision revision) = 0;
  // A copy of everything acknowledged so far, in a new directory that can be opened as a store.
  virtual Result<void> checkpoint(const std::string& directory) = 0;
  virtual StoreStats stats() const = 0;

  // Uses another transformer for values on disk, once it is certain that it reads all that are
  // there. A Status that names the key otherwise: nothing changes then. May block for long.
  virtual Result<void> set_transformer(std::shared_ptr<const ValueTransformer> transformer) {
    static_cast<void>(transformer);
    return Status(Reason::kMethodNotAllowed, "this store has no values on disk");
  }
  // Gives every value on disk, history included, the form that the transformer writes now, and
  // leaves no other in the store's files. Revisions stay, there are no events, and commits go on
  // meanwhile. Can be repeated after a failure or a crash. May block for long.
  virtual Result<void> reencode(const ReencodeObserver& observe, const std::stop_token& stop) {
    static_cast<void>(observe);
    static_cast<void>(stop);
    return Status(Reason::kMethodNotAllowed, "this store has no values on disk");
  }
  // Whether it accepts writes. Does not block.
  virtual StoreHealth health() const { return {}; }
  // The same for all copies of a store, and for no other; empty if it is not kept.
  virtual std::string id() const { return {}; }
};

}  // namespace proa::store
