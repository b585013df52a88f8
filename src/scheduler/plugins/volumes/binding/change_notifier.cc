#include "scheduler/plugins/volumes/binding/change_notifier.h"

#include <utility>

namespace proa::scheduler {

ChangeNotifier::Listener::Listener(ChangeNotifier& notifier, std::vector<std::string> things)
    : notifier_(notifier), things_(std::move(things)) {
  notifier_.add(*this);
}

ChangeNotifier::Listener::~Listener() { notifier_.remove(*this); }

bool ChangeNotifier::Listener::wait(const Until& until) { return notifier_.wait(*this, until); }

void ChangeNotifier::add(Listener& listener) {
  ++listeners_count_;
  const MutexLock lock(mutex_);
  for (const std::string& thing : listener.things_) listeners_.emplace(thing, &listener);
}

void ChangeNotifier::remove(Listener& listener) {
  {
    const MutexLock lock(mutex_);
    std::erase_if(listeners_, [&](const auto& entry) { return entry.second == &listener; });
  }
  --listeners_count_;
}

void ChangeNotifier::notify(const std::string& thing) {
  if (!has_listeners()) return;
  const MutexLock lock(mutex_);
  const auto [begin, end] = listeners_.equal_range(thing);
  for (auto entry = begin; entry != end; ++entry) {
    entry->second->notified_ = true;
    entry->second->changed_.notify_all();
  }
}

bool ChangeNotifier::wait(Listener& listener, const Until& until) {
  const std::stop_callback stopped(until.stop, [&] {
    const MutexLock lock(mutex_);
    listener.changed_.notify_all();
  });
  const MutexLock lock(mutex_);
  while (!listener.notified_) {
    if (until.stop.stop_requested() || clock_.steady() >= until.deadline) return false;
    clock_.wait_until(listener.changed_, mutex_, until.deadline);
  }
  listener.notified_ = false;
  return true;
}

}  // namespace proa::scheduler
