#include "store/engine/watches.h"

#include <algorithm>

namespace proa::store {

void WatchNotifier::notify() {
  {
    MutexLock lock(mutex_);
    if (closed_) return;
    changed_.notify_all();
    if (!wake_) return;
    notifying_.push_back(std::this_thread::get_id());
  }
  wake_();
  MutexLock lock(mutex_);
  notifying_.erase(std::find(notifying_.begin(), notifying_.end(), std::this_thread::get_id()));
  changed_.notify_all();
}

bool WatchNotifier::wait(Clock& clock, const Until& until) {
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

void WatchNotifier::close() {
  MutexLock lock(mutex_);
  closed_ = true;
  const auto by_another = [](std::thread::id thread) {
    return thread != std::this_thread::get_id();
  };
  while (std::any_of(notifying_.begin(), notifying_.end(), by_another)) changed_.wait(mutex_);
}

void WatchRegistry::add(std::shared_ptr<WatchNotifier> notifier) {
  MutexLock lock(mutex_);
  WatchNotifiers& notifiers = notifier->indexed() ? by_segment_[notifier->prefix()] : others_;
  notifiers.push_back(std::move(notifier));
  ++count_;
}

void WatchRegistry::remove(const std::shared_ptr<WatchNotifier>& notifier) {
  MutexLock lock(mutex_);
  if (!notifier->indexed()) {
    std::erase(others_, notifier);
  } else {
    const auto found = by_segment_.find(notifier->prefix());
    std::erase(found->second, notifier);
    if (found->second.empty()) by_segment_.erase(found);
  }
  --count_;
}

void WatchRegistry::collect(const WatchNotifiers& from, WatchNotifiers& notifiers,
                            std::string_view key) const {
  for (const std::shared_ptr<WatchNotifier>& notifier : from) {
    if (notifier->concerns(key) && notifier->disarm(announced())) notifiers.push_back(notifier);
  }
}

void WatchRegistry::disarm(std::span<const Event> changes, Revision revision,
                           WatchNotifiers& notifiers) {
  if (count_.load() > 0) {
    MutexLock lock(mutex_);
    for (const Event& event : changes) {
      const std::string_view key = event.entry->key();
      for (size_t end = 0; !by_segment_.empty();) {
        const auto found = by_segment_.find(key.substr(0, end));
        if (found != by_segment_.end()) collect(found->second, notifiers, key);
        if (end >= key.size()) break;
        end = std::min(key.find('/', end), key.size() - 1) + 1;
      }
      collect(others_, notifiers, key);
    }
  }
  announced_.store(revision.value);
}

void WatchRegistry::disarm_all(Revision revision, WatchNotifiers& notifiers) {
  MutexLock lock(mutex_);
  const auto all = [&](const WatchNotifiers& from) {
    for (const std::shared_ptr<WatchNotifier>& notifier : from) {
      if (notifier->disarm(announced())) notifiers.push_back(notifier);
    }
  };
  for (const auto& [prefix, notifiers_of_it] : by_segment_) all(notifiers_of_it);
  all(others_);
  announced_.store(revision.value);
}

}  // namespace proa::store
