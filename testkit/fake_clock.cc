#include "testkit/fake_clock.h"

#include <algorithm>
#include <vector>

namespace proa::testkit {

Time FakeClock::now() const {
  MutexLock held(mutex_);
  return now_;
}

Steady FakeClock::steady() const {
  MutexLock held(mutex_);
  return steady_;
}

// Order of locks: the caller's, then ours. advance() never holds ours while it takes a caller's.
void FakeClock::wait_until(CondVar& changed, Mutex& lock, Steady deadline) {
  std::list<Waiter>::iterator self;
  {
    MutexLock held(mutex_);
    if (steady_ >= deadline) return;
    self = waiters_.insert(waiters_.end(), Waiter{&changed, &lock});
    waiters_changed_.notify_all();
  }
  changed.wait(lock);
  // Released for a moment, since advance() may need it before it releases us.
  lock.unlock();
  {
    MutexLock held(mutex_);
    while (self->pins > 0) waiters_changed_.wait(mutex_);
    waiters_.erase(self);
  }
  lock.lock();
}

void FakeClock::advance(Duration by) {
  std::vector<Waiter*> woken;
  {
    MutexLock held(mutex_);
    now_ += by;
    steady_ += by;
    for (Waiter& waiter : waiters_) {
      // Pinned again and again, it would never leave while others advance without a pause.
      if (waiter.woken) continue;
      ++waiter.pins;
      waiter.woken = true;
      woken.push_back(&waiter);
    }
  }
  for (const Waiter* waiter : woken) {
    // A registered waiter holds its lock until it waits; acquiring that lock ensures that it
    // receives the wake-up.
    MutexLock theirs(*waiter->lock);
    waiter->changed->notify_all();
  }
  MutexLock held(mutex_);
  for (Waiter* waiter : woken) --waiter->pins;
  waiters_changed_.notify_all();
}

void FakeClock::set_calendar(Time now) {
  MutexLock held(mutex_);
  now_ = now;
}

void FakeClock::await_waiters(size_t count) {
  MutexLock held(mutex_);
  const auto waiting = [this]() REQUIRES(mutex_) {
    return static_cast<size_t>(std::count_if(waiters_.begin(), waiters_.end(),
                                             [](const Waiter& one) { return !one.woken; }));
  };
  while (waiting() < count) waiters_changed_.wait(mutex_);
}

}  // namespace proa::testkit
