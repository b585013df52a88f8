#include "base/threads/poller.h"

#include <algorithm>

#include "base/check.h"

namespace proa {

void Poller::add(Pollable& pollable) {
  CHECK(!thread_.joinable());
  size_t index = 0;
  {
    MutexLock lock(mutex_);
    index = slots_.size();
    slots_.push_back({.pollable = &pollable});
  }
  pollable.on_work([this, index] { wake(index); });
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

void Poller::wake(size_t index) {
  MutexLock lock(mutex_);
  if (std::exchange(slots_[index].woken, true)) return;
  changed_.notify_all();
}

void Poller::take_due(const std::stop_token& stop, std::vector<size_t>& due) {
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const Steady now = clock_.steady();
    Steady next = Steady::max();
    for (size_t i = 0; i < slots_.size(); ++i) {
      Slot& slot = slots_[i];
      if (slot.woken || slot.due <= now) {
        slot.woken = false;
        due.push_back(i);
      } else {
        next = std::min(next, slot.due);
      }
    }
    if (!due.empty()) return;
    clock_.wait_until(changed_, mutex_, next);
  }
}

void Poller::run(const std::stop_token& stop) {
  const std::stop_callback stopped(stop, [this] {
    MutexLock lock(mutex_);
    changed_.notify_all();
  });
  std::vector<size_t> due;
  while (true) {
    due.clear();
    take_due(stop, due);
    if (due.empty()) return;
    for (const size_t index : due) {
      Pollable* pollable = nullptr;
      {
        MutexLock lock(mutex_);
        pollable = slots_[index].pollable;
      }
      const Steady again = pollable->poll();
      MutexLock lock(mutex_);
      slots_[index].due = again;
    }
  }
}

}  // namespace proa
