#include "store/mvcc/keyspace.h"

#include <algorithm>

#include "base/check.h"

namespace proa::store {
namespace keyspace {

// The message that clients of the Kubernetes API match on.
Status expired(Revision asked, Revision oldest) {
  return {Reason::kExpired, "too old resource version: " + std::to_string(asked.value) + " (" +
                                std::to_string(oldest.value) + ")"};
}

}  // namespace keyspace

EntryPtr Keyspace::find(std::string_view key) const {
  const Node* node = by_hash_.find(key);
  if (node == nullptr || node->latest->deleted()) return nullptr;
  return node->latest;
}

EntryPtr Keyspace::find_at(std::string_view key, Revision at) const {
  const Node* node = by_hash_.find(key);
  if (node == nullptr) return nullptr;
  const EntryPtr* version = version_at(*node, at);
  if (version == nullptr || (*version)->deleted()) return nullptr;
  return *version;
}

const EntryPtr* Keyspace::version_at(const Node& node, Revision at) {
  if (node.latest->mod_revision() <= at) return &node.latest;
  if (node.older == nullptr) return nullptr;
  const auto begin = node.older->versions.begin() + static_cast<ptrdiff_t>(node.older->first);
  const auto behind = std::upper_bound(
      begin, node.older->versions.end(), at,
      [](Revision revision, const EntryPtr& entry) { return revision < entry->mod_revision(); });
  return behind == begin ? nullptr : &*std::prev(behind);
}

Result<void> Keyspace::readable(Revision at) const {
  if (at > revision_) {
    return Status(Reason::kBadRequest, "revision " + std::to_string(at.value) +
                                           " is in the future; the current one is " +
                                           std::to_string(revision_.value));
  }
  if (at < compacted_) return keyspace::expired(at, compacted_);
  for (const Gap& gap : gaps_) {
    if (gap.contains(at)) return keyspace::expired(at, gap.resumed());
  }
  return {};
}

Result<void> Keyspace::watchable(Revision from) const {
  // The client has seen everything before `from`: that is the version it names, and which must be a
  // state we know.
  const Revision seen = from.previous();
  if (seen < compacted_) return keyspace::expired(seen, compacted_);
  for (const Gap& gap : gaps_) {
    if (gap.contains(seen)) return keyspace::expired(seen, gap.resumed());
  }
  return {};
}

void Keyspace::apply(std::span<const Event> commit) {
  CHECK(!commit.empty());
  for (const Event& event : commit) {
    CHECK(event.entry->mod_revision() == revision_.next());
    change(event, true);
  }
  revision_ = revision_.next();
}

void Keyspace::load(EntryPtr entry) {
  CHECK(entry->mod_revision() >= revision_);
  const bool remember = entry->mod_revision() > compacted_;
  revision_ = entry->mod_revision();
  EntryPtr previous = find(entry->key());
  change({std::move(entry), std::move(previous)}, remember);
}

void Keyspace::begin_at(Revision compacted, std::vector<Gap> gaps) {
  CHECK(revision_ == Revision{1} && nodes_.empty());
  compacted_ = compacted;
  gaps_ = std::move(gaps);
}

void Keyspace::continue_from(Revision revision) {
  CHECK(revision >= revision_);
  revision_ = revision;
}

void Keyspace::skip(const Gap& gap) {
  CHECK(gap.after == revision_ && gap.through > gap.after);
  gaps_.push_back(gap);
  revision_ = gap.resumed();
}

void Keyspace::resume(std::span<const Event> changes, Revision through) {
  CHECK(through >= revision_);
  for (const Event& event : changes) {
    CHECK(event.entry->mod_revision() > revision_ && event.entry->mod_revision() <= through);
    change(event, true);
  }
  const Gap gap{.after = revision_, .through = through.previous()};
  if (gap.through > gap.after) gaps_.push_back(gap);
  revision_ = through;
}

void Keyspace::change(const Event& event, bool remember) {
  const Node* node = by_hash_.find(event.entry->key());
  bytes_ += event.entry->footprint();
  if (node == nullptr) {
    by_hash_.insert(*nodes_.emplace(event.entry).first);
  } else {
    const EntryPtr before = std::exchange(node->latest, event.entry);
    if (before->expiry()) unwatch_expiry(*before);
    if (!before->deleted()) --live_keys_;
    if (remember) {
      if (node->older == nullptr) node->older = std::make_unique<Older>();
      history_bytes_ += before->footprint();
      node->older->versions.push_back(before);
    } else {
      bytes_ -= before->footprint();
    }
  }
  if (!event.entry->deleted()) ++live_keys_;
  if (event.entry->expiry()) watch_expiry(event.entry);
  if (remember) history_.push_back(event);
}

Revision Keyspace::compact(Revision through, size_t limit, std::vector<EntryPtr>& garbage) {
  CHECK(through <= revision_);
  size_t forgotten = 0;
  while (!history_.empty() && history_.front().entry->mod_revision() <= through) {
    const Revision commit = history_.front().entry->mod_revision();
    // Whole commits only.
    if (forgotten >= limit && commit > compacted_) return compacted_;
    compacted_ = commit;
    const Event event = std::move(history_.front());
    history_.pop_front();
    forget(event, garbage);
    ++forgotten;
  }
  compacted_ = std::max(compacted_, through);
  std::erase_if(gaps_, [this](const Gap& gap) { return gap.through < compacted_; });
  return compacted_;
}

void Keyspace::forget(const Event& event, std::vector<EntryPtr>& garbage) {
  const Node* node = by_hash_.find(event.entry->key());
  CHECK(node != nullptr);
  if (event.previous != nullptr) drop_oldest(*node, event.previous, garbage);
  if (event.entry->deleted()) {
    if (node->latest == event.entry) {
      bytes_ -= event.entry->footprint();
      garbage.push_back(event.entry);
      by_hash_.erase(*node);
      nodes_.erase(nodes_.find(event.entry->key()));
      return;
    }
    drop_oldest(*node, event.entry, garbage);
  }
  if (node->older != nullptr && node->older->first == node->older->versions.size()) {
    node->older.reset();
  }
  if (node->latest == event.entry && event.entry->expiry()) settle(*node);
}

// An Event stays long after the objects that it is about have come and gone, and nobody looks at it
// any more: it moves out of the memory that they shared, without what readers derived from it.
// Other objects are held by those who follow them, and would only be there twice.
void Keyspace::settle(const Node& node) {
  EntryPtr moved = Entry::make_apart(*node.latest);
  unwatch_expiry(*node.latest);
  watch_expiry(moved);
  node.latest = std::move(moved);
}

void Keyspace::drop_oldest(const Node& node, const EntryPtr& expected,
                           std::vector<EntryPtr>& garbage) {
  CHECK(node.older != nullptr && node.older->first < node.older->versions.size());
  Older& older = *node.older;
  EntryPtr& oldest = older.versions[older.first++];
  CHECK(oldest == expected);
  bytes_ -= oldest->footprint();
  history_bytes_ -= oldest->footprint();
  garbage.push_back(std::move(oldest));
  if (older.first > 32 && older.first * 2 > older.versions.size()) {
    older.versions.erase(older.versions.begin(),
                         older.versions.begin() + static_cast<ptrdiff_t>(older.first));
    older.first = 0;
  }
}

size_t Keyspace::history_index(Revision revision) const {
  const auto at = std::lower_bound(
      history_.begin(), history_.end(), revision,
      [](const Event& event, Revision wanted) { return event.entry->mod_revision() < wanted; });
  return static_cast<size_t>(at - history_.begin());
}

EntryPtr Keyspace::next_to_expire() const {
  return expiries_.empty() ? nullptr : expiries_.begin()->second;
}

std::vector<EntryPtr> Keyspace::expired(Time now, size_t limit) const {
  std::vector<EntryPtr> entries;
  for (const auto& [expiry, entry] : expiries_) {
    if (expiry > now || entries.size() == limit) break;
    entries.push_back(entry);
  }
  return entries;
}

void Keyspace::watch_expiry(const EntryPtr& entry) { expiries_.emplace(*entry->expiry(), entry); }

void Keyspace::unwatch_expiry(const Entry& entry) {
  const auto [begin, end] = expiries_.equal_range(*entry.expiry());
  const auto found =
      std::find_if(begin, end, [&](const auto& item) { return item.second.get() == &entry; });
  CHECK(found != end);
  expiries_.erase(found);
}

}  // namespace proa::store
