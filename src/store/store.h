#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "store/entry.h"

namespace proa::store {

using Key = std::string;

// Holds when the last version of the key has this revision; zero: when the key does not exist.
struct Compare {
  Key key;
  Revision mod_revision;
};

struct Put {
  Key key;
  Bytes value;
  // The store deletes the key when this long has passed since the commit.
  std::optional<Duration> ttl = std::nullopt;
  // Where the number of the commit is inserted into the value, in decimal digits: a value can carry
  // its own revision without being written twice.
  std::optional<size_t> stamp_at = std::nullopt;
};

// Deleting what is not there changes nothing.
struct Delete {
  Key key;
};

using Operation = std::variant<Put, Delete>;

// All compares hold and all operations happen, under one new revision; or nothing happens.
struct Txn {
  std::vector<Compare> compares;
  std::vector<Operation> operations;  // each key at most once
};

enum class Durability : uint8_t {
  kSynced,  // acknowledged, and visible to others, once it survives a power loss
  kLazy,    // acknowledged at once; a crash may lose the last second of these
  // The same for what is said again soon, and not worth a write of its own: a crash may lose the
  // last minutes of these, where nothing else was written.
  kFleeting,
};

struct Committed {
  bool succeeded = false;  // whether the compares held
  // The revision of the commit; the current one when nothing changed.
  Revision revision;
  // Succeeded: the new entry of each operation (null for a delete that found nothing). Otherwise:
  // what stands under the key of each compare (null: nothing).
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
  Revision revision;              // the one that was read: ask for it again to go on
  bool more = false;              // the limit cut it; go on from the last key + '\0'
};

// One change of one key.
struct Event {
  EntryPtr entry;     // what the commit wrote; deleted() for a delete
  EntryPtr previous;  // what stood there before; null when the key did not exist

  bool is_create() const { return !entry->deleted() && previous == nullptr; }
};

struct WatchOptions {
  std::string prefix;
  // Only the key that is the prefix itself, not those that begin with it: costs others nothing,
  // however many such watches there are.
  bool exact = false;
  // The first revision to be told about; zero: the next one. One that is still to come is fine.
  Revision from;
  // Called, on some thread of the store and outside of its locks, when next() has something after
  // it had nothing. Must not block. Not called any more once the watch is destroyed.
  std::function<void()> wake;
};

struct WatchBatch {
  std::vector<Event> events;
  // All events of the watched keys up to here have been handed out: what a bookmark says.
  Revision progress;
};

// A place in the history. Holds no events of its own, so an idle or slow watch costs nothing. For
// one thread at a time; must go before its store does.
class Watch {
 public:
  virtual ~Watch() = default;

  // The next events in order, about `max` of them: a revision is never split. Empty when there is
  // nothing new. Never blocks. kExpired when the events are gone: read again, then watch from
  // there.
  virtual Result<WatchBatch> next(size_t max) = 0;
  // Whether next() may have something to say. From any thread, while nobody destroys the watch:
  // false after a commit was acknowledged means that it changed nothing that is watched.
  virtual bool has_news() const = 0;
  // Waits until next() has something to say; false when `until` came first.
  virtual bool wait(const Until& until) = 0;
};

struct StoreStats {
  Revision revision;
  Revision compacted;
  size_t keys = 0;
  size_t history = 0;       // changes in the history window
  size_t memory_bytes = 0;  // entries: live and history, nearly
  size_t watches = 0;
  uint64_t commits = 0;        // since it was opened
  uint64_t synced_writes = 0;  // fsyncs that commits caused
  uint64_t disk_bytes = 0;
};

// Keys, values and revisions; knows no kinds. Safe to use from any thread. Reads never touch the
// disk and never wait for one.
class Store {
 public:
  virtual ~Store() = default;

  // Calls back, on some thread and outside of the store's locks, when the outcome is known. A
  // failure with kBadRequest or kRequestEntityTooLarge changed nothing; after any other the store
  // takes no more writes, and whether this one happened shows when it is opened again.
  virtual void commit(Txn txn, Durability durability, CommitCallback done) = 0;
  // The same, and waits for the outcome: the caller's thread does the work when nobody else does.
  virtual Result<Committed> commit(Txn txn, Durability durability) = 0;

  // Null when there is no such key. kExpired when the revision is no longer in the history window,
  // kBadRequest when it is still to come; so for range and count.
  virtual Result<EntryPtr> get(std::string_view key, Revision at) const = 0;
  Result<EntryPtr> get(std::string_view key) const { return get(key, Revision{}); }
  virtual Result<RangeResult> range(const RangeQuery& query) const = 0;
  virtual Result<size_t> count(const KeyRange& keys, Revision at) const = 0;
  virtual Revision revision() const = 0;

  virtual Result<std::unique_ptr<Watch>> watch(WatchOptions options) = 0;

  // Forgets what was before `revision`: reads at it and watches from the one after it still work.
  virtual Result<void> compact(Revision revision) = 0;
  // A copy of everything acknowledged so far, in a new directory that can be opened as a store.
  virtual Result<void> checkpoint(const std::string& directory) = 0;
  virtual StoreStats stats() const = 0;
};

}  // namespace proa::store
