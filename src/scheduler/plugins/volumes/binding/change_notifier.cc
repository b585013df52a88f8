#include "scheduler/plugins/volumes/binding/change_notifier.h"

#include <utility>

namespace proa::scheduler {

ChangeBell::Listener::Listener(ChangeBell& bell, std::vector<std::string> things)
    : bell_(bell), things_(std::move(things)) {
  bell_.add(*this);
}

ChangeBell::Listener::~Listener() { bell_.remove(*this); }

bool ChangeBell::Listener::wait(const Until& until) { return bell_.wait(*this, until); }

void ChangeBell::add(Listener& listener) {
  ++listeners_count_;
  const MutexLock lock(mutex_);
  for (const std::string& thing : listener.things_) listeners_.emplace(thing, &listener);
}

void ChangeBell::remove(Listener& listener) {
  {
    const MutexLock lock(mutex_);
    std::erase_if(listeners_, [&](const auto& entry) { return entry.second == &listener; });
  }
  --listeners_count_;
}

void ChangeBell::ring(const std::string& thing) {
  if (!is_heard()) return;
  const MutexLock lock(mutex_);
  const auto [begin, end] = listeners_.equal_range(thing);
  for (auto entry = begin; entry != end; ++entry) {
    entry->second->rung_ = true;
    entry->second->changed_.notify_all();
  }
}

bool ChangeBell::wait(Listener& listener, const Until& until) {
  const std::stop_callback stopped(until.stop, [&] {
    const MutexLock lock(mutex_);
    listener.changed_.notify_all();
  });
  const MutexLock lock(mutex_);
  while (!listener.rung_) {
    if (until.stop.stop_requested() || clock_.steady() >= until.deadline) return false;
    clock_.wait_until(listener.changed_, mutex_, until.deadline);
  }
  listener.rung_ = false;
  return true;
}

}  // namespace proa::scheduler
