#include "apiserver/objects/follower.h"

#include <algorithm>

#include "apiserver/objects/keys.h"
#include "base/check.h"

namespace proa::apiserver {
namespace follower {

constexpr size_t kEventsAtOnce = 256;

}  // namespace follower

Follower::Follower(store::Store& store, const std::vector<std::string>& prefixes, Changed changed)
    : store_(store), changed_(std::move(changed)) {
  for (const std::string& prefix : prefixes) sources_.push_back({prefix, nullptr, {}});
}

Follower::~Follower() = default;

bool Follower::has_news() const {
  ReaderLock lock(mutex_);
  return std::any_of(sources_.begin(), sources_.end(), [](const Source& source) {
    return source.watch == nullptr || source.watch->has_news();
  });
}

void Follower::catch_up() {
  WriterLock lock(mutex_);
  for (Source& source : sources_) {
    while (source.watch == nullptr || source.watch->has_news()) {
      if (source.watch == nullptr) {
        read_anew(source);
        continue;
      }
      const Result<store::WatchBatch> batch = source.watch->next(follower::kEventsAtOnce);
      if (!batch) {  // we were away for longer than the history goes back
        source.watch = nullptr;
        continue;
      }
      for (const store::Event& event : batch->events) tell(source, event.entry);
    }
  }
}

void Follower::read_anew(Source& source) {
  const auto range = store_.range({.keys = store::KeyRange::prefix(source.prefix)});
  CHECK(range.ok());  // the present is always there
  std::set<std::string, std::less<>> gone = std::move(source.keys);
  source.keys.clear();
  for (const store::EntryPtr& entry : range->entries) {
    gone.erase(std::string(entry->key()));
    tell(source, entry);
  }
  for (const std::string& key : gone) changed_(key, nullptr);
  // Fails when the store wrote so much meanwhile that this is history already: then once more.
  auto watch = store_.watch({.prefix = source.prefix, .from = range->revision.next(), .wake = {}});
  if (watch) source.watch = std::move(*watch);
}

void Follower::tell(Source& source, const store::EntryPtr& entry) {
  if (entry->deleted()) {
    source.keys.erase(std::string(entry->key()));
    changed_(entry->key(), nullptr);
    return;
  }
  source.keys.emplace(entry->key());
  changed_(entry->key(), object_of(entry));
}

}  // namespace proa::apiserver
