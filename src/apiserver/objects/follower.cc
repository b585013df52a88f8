#include "apiserver/objects/follower.h"

#include <algorithm>

#include "apiserver/objects/keys.h"
#include "base/check.h"

namespace proa::apiserver {
namespace follower {

constexpr size_t kEventsAtOnce = 256;

}  // namespace follower

Follower::Follower(store::Store& store, const std::vector<std::string>& prefixes, Changed changed,
                   std::function<void()> wake, std::function<void()> settle)
    : store_(store),
      changed_(std::move(changed)),
      wake_(std::move(wake)),
      settle_(std::move(settle)) {
  for (const std::string& prefix : prefixes) sources_.push_back({prefix, nullptr, {}});
}

Follower::~Follower() = default;

bool Follower::has_changes() const {
  ReaderLock lock(mutex_);
  return std::any_of(sources_.begin(), sources_.end(), [](const Source& source) {
    return source.watch == nullptr || source.watch->has_events();
  });
}

void Follower::catch_up() {
  WriterLock lock(mutex_);
  bool advanced = false;
  for (Source& source : sources_) {
    while (source.watch == nullptr || source.watch->has_events()) {
      advanced = true;
      if (source.watch == nullptr) {
        relist(source);
        continue;
      }
      const Result<store::WatchBatch> batch = source.watch->next(follower::kEventsAtOnce);
      if (!batch) {  // the watch fell behind the history
        source.watch = nullptr;
        continue;
      }
      for (const store::Event& event : batch->events) deliver(source, event.entry);
    }
  }
  // Another reader may have done it all, while this one waited for the lock.
  if (advanced && settle_) settle_();
}

void Follower::relist(Source& source) {
  const auto range = store_.range({.keys = store::KeyRange::prefix(source.prefix)});
  CHECK(range.ok());  // the current revision is always readable
  std::set<std::string, std::less<>> gone = std::move(source.keys);
  source.keys.clear();
  for (const store::EntryPtr& entry : range->entries) {
    gone.erase(std::string(entry->key()));
    deliver(source, entry);
  }
  for (const std::string& key : gone) changed_(key, nullptr);
  // Fails if the revision has already left the history: retried on the next read.
  auto watch =
      store_.watch({.prefix = source.prefix, .from = range->revision.next(), .wake = wake_});
  if (watch) source.watch = std::move(*watch);
}

void Follower::deliver(Source& source, const store::EntryPtr& entry) {
  if (entry->deleted()) {
    source.keys.erase(std::string(entry->key()));
    changed_(entry->key(), nullptr);
    return;
  }
  source.keys.emplace(entry->key());
  changed_(entry->key(), object_of(entry));
}

}  // namespace proa::apiserver
