#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "store/mvcc/key_index.h"
#include "store/store.h"

namespace proa::store {

// Revisions that a crash took: (after, through]. They may have been seen, and what was written
// under them may be lost, so nobody may continue from one of them.
struct Gap {
  Revision after;
  Revision through;

  // One more than the last, so that who reads after the crash can be told from who saw the last
  // lost one.
  Revision resumed() const { return through.next(); }
  bool contains(Revision revision) const { return after < revision && revision <= through; }
  bool operator==(const Gap&) const = default;
};

// The state of a store: every key's current version, the older versions inside the history window,
// and the changes of that window in order. No I/O, no threads, no clock: whoever owns it brings the
// lock.
class Keyspace {
 public:
  Revision revision() const { return revision_; }
  Revision compacted() const { return compacted_; }
  size_t keys() const { return live_keys_; }
  size_t memory_bytes() const { return bytes_; }
  const std::vector<Gap>& gaps() const { return gaps_; }
  // The changes after compacted(), oldest first.
  const std::deque<Event>& history() const { return history_; }
  // Bytes of versions that only the history keeps.
  size_t history_bytes() const { return history_bytes_; }

  // The current version; null when the key does not exist.
  EntryPtr find(std::string_view key) const;
  // REQUIRES: readable(at).
  EntryPtr find_at(std::string_view key, Revision at) const;
  // Whether the state at this revision can still be told.
  Result<void> readable(Revision at) const;
  // Whether a watch may begin with the changes of this revision.
  Result<void> watchable(Revision from) const;

  // Looks at up to `scan` keys of `keys` at a revision and gives the existing ones to `visit` until
  // it says false. Returns the key to go on from, or nullopt at the end. REQUIRES: readable(at).
  template <typename Visit>
  std::optional<Key> scan(const KeyRange& keys, Revision at, size_t scan, Visit&& visit) const;

  // The changes of one commit, each with the entry that find() gave as its previous one.
  // REQUIRES: all have one revision, and it is revision().next().
  void apply(std::span<const Event> commit);
  // The next entry out of a journal: at or below compacted() it is state, above it is history.
  // REQUIRES: in order of revision and index.
  void load(EntryPtr entry);
  // REQUIRES: nothing was loaded or applied yet.
  void begin_at(Revision compacted, std::vector<Gap> gaps);
  // What a journal holds is loaded; later commits count from here. REQUIRES: revision >=
  // revision().
  void go_on_from(Revision revision);
  // Nothing will be found under the revisions of the gap; goes on behind it. REQUIRES: gap.after is
  // revision().
  void skip(const Gap& gap);

  // Forgets changes up to `through`, about `limit` of them and whole commits only; what nothing
  // refers to any more is added to `garbage`. Returns how far it came. REQUIRES: through <=
  // revision().
  Revision compact(Revision through, size_t limit, std::vector<EntryPtr>& garbage);

  // The first change at or after a revision, as an index into history().
  size_t history_index(Revision revision) const;

  // The entry that expires first; null when none does.
  EntryPtr next_to_expire() const;
  // Entries whose time has come, at most `limit`.
  std::vector<EntryPtr> expired(Time now, size_t limit) const;

 private:
  // Superseded versions, oldest first. A plain vector with a head: hot keys lose their oldest
  // version as often as they get a new one.
  struct Older {
    std::vector<EntryPtr> versions;
    size_t first = 0;
  };
  // A key is known by its latest version, whose text is the key's only copy.
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

  // Point reads go by hash: a walk down the ordered set misses the processor's cache at every step.
  struct KeyOfNode {
    std::string_view operator()(const Node& node) const { return node.latest->key(); }
  };

  static const EntryPtr* version_at(const Node& node, Revision at);
  void change(const Event& event, bool remember);
  void forget(const Event& event, std::vector<EntryPtr>& garbage);
  void drop_oldest(const Node& node, const EntryPtr& expected, std::vector<EntryPtr>& garbage);
  void watch_expiry(const EntryPtr& entry);
  void unwatch_expiry(const Entry& entry);

  std::set<Node, ByKey> nodes_;
  KeyIndex<Node, KeyOfNode> by_hash_;
  std::deque<Event> history_;
  std::multimap<Time, EntryPtr> expiries_;
  std::vector<Gap> gaps_;
  // An empty store is at one: revisions are shown to clients, who take zero for "any".
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
