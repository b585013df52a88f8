#include "store/etcd/cache/cache.h"

#include <algorithm>
#include <unordered_set>

namespace proa::store::etcd {
namespace cache {

// Changes applied, and compacted, per lock acquisition.
constexpr size_t kApplyChunk = 64;
constexpr size_t kCompactChunk = 4096;

bool is_older(const EntryPtr& a, const EntryPtr& b) {
  return std::pair(a->mod_revision(), a->index()) < std::pair(b->mod_revision(), b->index());
}

// The first changes of one revision.
std::span<const EntryPtr> first_revision(std::span<const EntryPtr> changes) {
  size_t size = 1;
  while (size < changes.size() && changes[size]->mod_revision() == changes[0]->mod_revision())
    ++size;
  return changes.first(size);
}

}  // namespace cache

Revision Cache::revision() const {
  ReaderLock lock(state_.mutex);
  return state_.keyspace.revision();
}

void Cache::load(std::vector<EntryPtr> entries, Revision at) {
  std::sort(entries.begin(), entries.end(), cache::is_older);
  {
    WriterLock lock(state_.mutex);
    state_.keyspace.begin_at(at.value <= 1 ? Revision{} : at, {});
    for (EntryPtr& entry : entries) state_.keyspace.load(std::move(entry));
    state_.keyspace.continue_from(std::max(at, state_.keyspace.revision()));
  }
  announce({}, at);
}

void Cache::apply(std::span<const EntryPtr> changes, Revision through) {
  std::vector<Event> events;
  while (!changes.empty()) {
    WriterLock lock(state_.mutex);
    Keyspace& keyspace = state_.keyspace;
    for (size_t applied = 0; !changes.empty() && applied < cache::kApplyChunk;) {
      const std::span<const EntryPtr> commit = cache::first_revision(changes);
      changes = changes.subspan(commit.size());
      applied += commit.size();
      const Revision revision = commit[0]->mod_revision();
      if (revision <= keyspace.revision()) continue;  // it is in what was loaded
      const size_t first = events.size();
      for (const EntryPtr& entry : commit) {
        EntryPtr previous = keyspace.find(entry->key());
        if (entry->deleted() && previous == nullptr) continue;
        events.push_back({entry, std::move(previous)});
      }
      // Revisions between belong to others' keys.
      keyspace.continue_from(revision.previous());
      if (events.size() > first) keyspace.apply(std::span(events).subspan(first));
      keyspace.continue_from(revision);
    }
  }
  {
    WriterLock lock(state_.mutex);
    state_.keyspace.continue_from(std::max(through, state_.keyspace.revision()));
    through = state_.keyspace.revision();
  }
  announce(events, through);
}

std::vector<Event> Cache::changes_to(std::vector<EntryPtr> entries, Revision at) const {
  ReaderLock lock(state_.mutex);
  const Keyspace& keyspace = state_.keyspace;
  const Revision before = keyspace.revision();
  std::vector<EntryPtr> changes;
  const auto remove = [&](const EntryPtr& entry, Revision revision) {
    changes.push_back(
        Entry::make(entry->key(), std::string_view(), {.mod_revision = revision, .deleted = true}));
  };
  std::unordered_set<std::string_view> present;
  for (EntryPtr& entry : entries) {
    present.insert(entry->key());
    if (entry->mod_revision() <= before) continue;
    // One that was deleted and created since is not the one that was there.
    const EntryPtr previous = keyspace.find(entry->key());
    if (previous != nullptr && entry->create_revision() > before)
      remove(previous, entry->create_revision().previous());
    changes.push_back(entry);
  }
  keyspace.scan({}, before, keyspace.keys() + keyspace.history().size() + 1,
                [&](const EntryPtr& entry) {
                  if (!present.contains(entry->key())) remove(entry, at);
                  return true;
                });
  std::stable_sort(changes.begin(), changes.end(), cache::is_older);
  std::vector<Event> events;
  std::map<std::string_view, EntryPtr> latest;
  for (const EntryPtr& entry : changes) {
    const auto found = latest.find(entry->key());
    EntryPtr previous = found == latest.end() ? keyspace.find(entry->key()) : found->second;
    if (previous != nullptr && previous->deleted()) previous = nullptr;
    events.push_back({entry, std::move(previous)});
    latest[entry->key()] = entry;
  }
  return events;
}

void Cache::replace(std::vector<EntryPtr> entries, Revision at) {
  const std::vector<Event> events = changes_to(std::move(entries), at);
  {
    WriterLock lock(state_.mutex);
    state_.keyspace.resume(events, at);
  }
  announce(events, at);
}

void Cache::announce(std::span<const Event> changes, Revision through) {
  WatchNotifiers notifiers;
  registry_.disarm(changes, through, notifiers);
  for (const auto& notifier : notifiers) notifier->notify();
  std::vector<Reached> reached;
  {
    MutexLock lock(mutex_);
    const auto end = waiters_.upper_bound(through);
    for (auto at = waiters_.begin(); at != end; ++at) reached.push_back(std::move(at->second.done));
    waiters_.erase(waiters_.begin(), end);
  }
  for (const Reached& done : reached) done({});
}

void Cache::when_reached(Revision wanted, Steady deadline, Reached done) {
  bool first = false;
  {
    MutexLock lock(mutex_);
    if (wanted > revision()) {
      first = waiters_.empty();
      waiters_.emplace(wanted, Waiter{deadline, std::move(done)});
      done = nullptr;
    }
  }
  if (done) return done({});
  if (first) waiting_();
}

bool Cache::has_waiters() const {
  MutexLock lock(mutex_);
  return !waiters_.empty();
}

void Cache::fail_waiters(Steady now, const Status& why) {
  std::vector<Reached> late;
  {
    MutexLock lock(mutex_);
    for (auto at = waiters_.begin(); at != waiters_.end();) {
      if (at->second.deadline > now) {
        ++at;
        continue;
      }
      late.push_back(std::move(at->second.done));
      at = waiters_.erase(at);
    }
  }
  for (const Reached& done : late) done(why);
}

EntryPtr Cache::find_change(std::string_view key, Revision at) const {
  ReaderLock lock(state_.mutex);
  const std::deque<Event>& history = state_.keyspace.history();
  for (size_t i = state_.keyspace.history_index(at); i < history.size(); ++i) {
    const EntryPtr& entry = history[i].entry;
    if (entry->mod_revision() != at) break;
    if (entry->key() == key) return entry;
  }
  // Compacted since, but still the current one.
  EntryPtr current = state_.keyspace.find(key);
  return current != nullptr && current->mod_revision() == at ? current : nullptr;
}

Result<void> Cache::compact(Revision through) {
  std::vector<EntryPtr> garbage;  // freed without the lock
  for (bool done = false; !done;) {
    garbage.clear();
    WriterLock lock(state_.mutex);
    if (through > state_.keyspace.revision())
      return Status(Reason::kBadRequest, "cannot compact a future revision");
    done = through <= state_.keyspace.compacted() ||
           state_.keyspace.compact(through, cache::kCompactChunk, garbage) >= through;
  }
  return {};
}

Steady Cache::housekeep() {
  const Steady now = clock_.steady();
  Revision outdated;
  Steady next = Steady::max();
  {
    WriterLock lock(state_.mutex);
    outdated = window_.outdated(state_.keyspace, now);
    if (window_.is_aging(state_.keyspace)) next = now + window_.interval(state_.keyspace);
  }
  static_cast<void>(compact(outdated));
  return next;
}

}  // namespace proa::store::etcd
