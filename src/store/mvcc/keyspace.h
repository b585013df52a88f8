#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "base/process/memory.h"
#include "store/mvcc/key_index.h"
#include "store/store.h"

namespace proa::store {

// Revisions lost in a crash: (after, through]. Clients may have seen them, and what was written
// under them may be lost, so no client may continue from one of them.
struct Gap {
  Revision after;
  Revision through;

  // One more than the last lost one, so that reads after the crash can be told from reads of the
  // lost one.
  Revision resumed() const { return through.next(); }
  bool contains(Revision revision) const { return after < revision && revision <= through; }
  bool operator==(const Gap&) const = default;
};

// The state of a store: every key's current version, older versions inside the history window, and
// the changes of that window in order. No I/O, no threads, no clock: the owner provides the lock.
class Keyspace {
 public:
  Revision revision() const { return revision_; }
  Revision compacted() const { return compacted_; }
  size_t keys() const { return live_keys_; }
  size_t memory_bytes() const { return bytes_; }
  const std::vector<Gap>& gaps() const { return gaps_; }
  // The changes after compacted(), oldest first.
  const std::deque<Event>& history() const { return history_; }
  // Bytes of versions that only the history holds.
  size_t history_bytes() const { return history_bytes_; }

  // The current version; null if the key does not exist.
  EntryPtr find(std::string_view key) const;
  // REQUIRES: readable(at).
  EntryPtr find_at(std::string_view key, Revision at) const;
  // Whether the state at this revision is still available.
  Result<void> readable(Revision at) const;
  // Whether a watch may start with the changes of this revision.
  Result<void> watchable(Revision from) const;

  // Visits up to `scan` keys of `keys` at a revision and passes existing ones to `visit` until it
  // returns false. Returns the key to continue from, or nullopt at the end. REQUIRES: readable(at).
  template <typename Visit>
  std::optional<Key> scan(const KeyRange& keys, Revision at, size_t scan, Visit&& visit) const;

  // Applies the changes of one commit, each with the entry that find() returned as its previous
  // one. REQUIRES: all have one revision, which is revision().next().
  void apply(std::span<const Event> commit);
  // Loads the next entry of a journal: at or below compacted() it is state, above it is history.
  // REQUIRES: in order of revision and index.
  void load(EntryPtr entry);
  // REQUIRES: nothing is loaded or applied yet.
  void begin_at(Revision compacted, std::vector<Gap> gaps);
  // Ends loading: later commits continue from here. REQUIRES: revision >= revision().
  void continue_from(Revision revision);
  // Skips the revisions of a gap. REQUIRES: gap.after is revision().
  void skip(const Gap& gap);
  // Applies changes that are all that is known of the revisions up to `through`: no client may
  // continue from one of them but the last. REQUIRES: as apply(), in order of revisions, all of
  // which are above revision() and at most `through`.
  void resume(std::span<const Event> changes, Revision through);

  // Drops changes up to `through`, about `limit` of them and whole commits only; entries that
  // nothing refers to any more are added to `garbage`. Returns how far it got. REQUIRES: through <=
  // revision().
  Revision compact(Revision through, size_t limit, std::vector<EntryPtr>& garbage);

  // The first change at or after a revision, as an index into history().
  size_t history_index(Revision revision) const;

  // The entry that expires first; null if none does.
  EntryPtr next_to_expire() const;
  // Expired entries, at most `limit`.
  std::vector<EntryPtr> expired(Time now, size_t limit) const;

 private:
  // Superseded versions, oldest first. A vector with a head index: hot keys lose their oldest
  // version as often as they get a new one.
  struct Older {
    std::vector<EntryPtr> versions;
    size_t first = 0;
  };
  // A key is identified by its latest version, whose text is the only copy of the key.
  struct Node {
    explicit Node(EntryPtr entry) : latest(std::move(entry)) {}
    mutable EntryPtr latest;
    mutable std::unique_ptr<Older> older;
  };
  struct ByKey {
    using is_transparent = void;
    bool operator()(const Node& a, const Node& b) const {
      return a.latest->key() < b.latest->key();
    }
    bool operator()(const Node& a, std::string_view b) const { return a.latest->key() < b; }
    bool operator()(std::string_view a, const Node& b) const { return a < b.latest->key(); }
  };

  // Point reads use a hash: walking the ordered set misses the processor's cache at every step.
  struct KeyOfNode {
    std::string_view operator()(const Node& node) const { return node.latest->key(); }
  };

  static const EntryPtr* version_at(const Node& node, Revision at);
  void change(const Event& event, bool remember);
  void forget(const Event& event, std::vector<EntryPtr>& garbage);
  void drop_oldest(const Node& node, const EntryPtr& expected, std::vector<EntryPtr>& garbage);
  void settle(const Node& node);
  void watch_expiry(const EntryPtr& entry);
  void unwatch_expiry(const Entry& entry);

  // Both apart: they are small, and those of Events stay when their neighbours go.
  std::set<Node, ByKey, ApartAllocator<Node>> nodes_;
  std::multimap<Time, EntryPtr, std::less<>, ApartAllocator<std::pair<const Time, EntryPtr>>>
      expiries_;
  KeyIndex<Node, KeyOfNode> by_hash_;
  std::deque<Event> history_;
  std::vector<Gap> gaps_;
  // An empty store is at one: clients take revision zero for "any".
  Revision revision_{1};
  Revision compacted_;
  size_t live_keys_ = 0;
  size_t bytes_ = 0;
  size_t history_bytes_ = 0;
};

template <typename Visit>
std::optional<Key> Keyspace::scan(const KeyRange& keys, Revision at, size_t scan,
                                  Visit&& visit) const {
  for (auto node = nodes_.lower_bound(std::string_view(keys.from)); node != nodes_.end(); ++node) {
    const std::string_view key = node->latest->key();
    if (!keys.to.empty() && key >= keys.to) return std::nullopt;
    if (scan-- == 0) return Key(key);
    const EntryPtr* version = version_at(*node, at);
    if (version != nullptr && !(*version)->deleted() && !visit(*version)) return Key(key);
  }
  return std::nullopt;
}

}  // namespace proa::store
