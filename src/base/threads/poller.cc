#include "base/threads/poller.h"

#include <algorithm>

#include "base/check.h"

namespace proa {

void Poller::add(Pollable& pollable) {
  CHECK(!thread_.joinable());
  size_t index = 0;
  {
    MutexLock lock(slots_->mutex);
    index = slots_->all.size();
    slots_->all.push_back({.pollable = &pollable});
  }
  pollable.on_work([slots = slots_, index] { slots->wake(index); });
}

void Poller::start() {
  CHECK(!thread_.joinable());
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Poller::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void Poller::Slots::wake(size_t index) {
  MutexLock lock(mutex);
  if (std::exchange(all[index].woken, true)) return;
  changed.notify_all();
}

void Poller::take_due(const std::stop_token& stop, std::vector<size_t>& due) {
  Slots& slots = *slots_;
  MutexLock lock(slots.mutex);
  while (!stop.stop_requested()) {
    const Steady now = clock_.steady();
    Steady next = Steady::max();
    for (size_t i = 0; i < slots.all.size(); ++i) {
      Slot& slot = slots.all[i];
      if (slot.woken || slot.due <= now) {
        slot.woken = false;
        due.push_back(i);
      } else {
        next = std::min(next, slot.due);
      }
    }
    if (!due.empty()) return;
    clock_.wait_until(slots.changed, slots.mutex, next);
  }
}

void Poller::run(const std::stop_token& stop) {
  Slots& slots = *slots_;
  const std::stop_callback stopped(stop, [&slots] {
    MutexLock lock(slots.mutex);
    slots.changed.notify_all();
  });
  std::vector<size_t> due;
  while (true) {
    due.clear();
    take_due(stop, due);
    if (due.empty()) return;
    for (const size_t index : due) {
      Pollable* pollable = nullptr;
      {
        MutexLock lock(slots.mutex);
        pollable = slots.all[index].pollable;
      }
      const Steady again = pollable->poll();
      MutexLock lock(slots.mutex);
      slots.all[index].due = again;
    }
  }
}

}  // namespace proa
