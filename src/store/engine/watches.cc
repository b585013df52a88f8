#include "store/engine/watches.h"

#include <algorithm>

namespace proa::store {

void WatchBell::ring() {
  {
    MutexLock lock(mutex_);
    if (closed_) return;
    changed_.notify_all();
    if (!wake_) return;
    ringers_.push_back(std::this_thread::get_id());
  }
  wake_();
  MutexLock lock(mutex_);
  ringers_.erase(std::find(ringers_.begin(), ringers_.end(), std::this_thread::get_id()));
  changed_.notify_all();
}

bool WatchBell::wait(Clock& clock, const Until& until) {
  const std::stop_callback on_stop(until.stop, [this] {
    MutexLock lock(mutex_);
    changed_.notify_all();
  });
  MutexLock lock(mutex_);
  while (armed_.load()) {
    if (until.stop.stop_requested() || clock.steady() >= until.deadline) return false;
    clock.wait_until(changed_, mutex_, until.deadline);
  }
  return true;
}

void WatchBell::close() {
  MutexLock lock(mutex_);
  closed_ = true;
  const auto by_another = [](std::thread::id ringer) {
    return ringer != std::this_thread::get_id();
  };
  while (std::any_of(ringers_.begin(), ringers_.end(), by_another)) changed_.wait(mutex_);
}

void WatchRegistry::add(std::shared_ptr<WatchBell> bell) {
  MutexLock lock(mutex_);
  WatchBells& bells = bell->indexed() ? by_segment_[bell->prefix()] : others_;
  bells.push_back(std::move(bell));
  ++count_;
}

void WatchRegistry::remove(const std::shared_ptr<WatchBell>& bell) {
  MutexLock lock(mutex_);
  if (!bell->indexed()) {
    std::erase(others_, bell);
  } else {
    const auto found = by_segment_.find(bell->prefix());
    std::erase(found->second, bell);
    if (found->second.empty()) by_segment_.erase(found);
  }
  --count_;
}

void WatchRegistry::collect(const WatchBells& from, WatchBells& bells, std::string_view key) const {
  for (const std::shared_ptr<WatchBell>& bell : from) {
    if (bell->concerns(key) && bell->disarm(announced())) bells.push_back(bell);
  }
}

void WatchRegistry::disarm(std::span<const Event> changes, Revision revision, WatchBells& bells) {
  if (count_.load() > 0) {
    MutexLock lock(mutex_);
    for (const Event& event : changes) {
      const std::string_view key = event.entry->key();
      for (size_t end = 0; !by_segment_.empty();) {
        const auto found = by_segment_.find(key.substr(0, end));
        if (found != by_segment_.end()) collect(found->second, bells, key);
        if (end >= key.size()) break;
        end = std::min(key.find('/', end), key.size() - 1) + 1;
      }
      collect(others_, bells, key);
    }
  }
  announced_.store(revision.value);
}

}  // namespace proa::store
