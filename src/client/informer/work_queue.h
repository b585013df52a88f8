#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "client/informer/backoff.h"
#include "client/key.h"

namespace proa::client {

// When to reconcile a key again.
struct Again {
  Duration after{0};  // zero: wait for the next event
};

// Keys to reconcile. A key is queued at most once, and never processed concurrently: if it is added
// meanwhile, it is queued again afterwards. Thread-safe.
class WorkQueue {
 public:
  struct Options {
    Backoff backoff;
    size_t max_running = 1;  // keys processed concurrently
  };
  // REQUIRES: all arguments outlive it.
  WorkQueue(Clock& clock, Random& random, Options options)
      : clock_(clock), random_(random), options_(options) {}

  void add(const Key& key) EXCLUDES(mutex_);
  // After a delay; the earliest of several counts, and add() overrides it.
  void add_after(const Key& key, Duration wait) EXCLUDES(mutex_);

  // Waits for a key; nullopt if `until` ends first, or the queue is shut down. The caller must call
  // finish().
  std::optional<Key> take(const Until& until) EXCLUDES(mutex_);
  // Does not block.
  std::optional<Key> try_take() EXCLUDES(mutex_);
  // A failure queues the key again with back-off; success resets the back-off.
  void finish(const Key& key, const Result<Again>& outcome) EXCLUDES(mutex_);

  // Called, on any thread and under no lock, when try_take() may have a key after it had none, or
  // next_due() moved closer. Set once, before the first key.
  void on_ready(std::function<void()> wake) { wake_ = std::move(wake); }

  // No more keys are returned.
  void shut_down() EXCLUDES(mutex_);
  // The number of ready and running keys.
  size_t busy() const EXCLUDES(mutex_);
  // When the next delayed key is ready; max if there is none.
  Steady next_due() const EXCLUDES(mutex_);

 private:
  struct State {
    bool ready = false;    // in ready_
    bool running = false;  // taken
    bool again = false;    // added while running
    int failures = 0;
    std::optional<Steady> due;  // in waiting_
  };

  void tell() const {
    if (wake_) wake_();
  }
  void put_off(const Key& key, State& state, const Result<Again>& outcome) REQUIRES(mutex_);
  void make_ready(const Key& key, State& state) REQUIRES(mutex_);
  void schedule(const Key& key, State& state, Duration wait) REQUIRES(mutex_);
  void promote_due() REQUIRES(mutex_);
  std::optional<Key> pop() REQUIRES(mutex_);

  Clock& clock_;
  Random& random_;
  const Options options_;
  std::function<void()> wake_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<Key> ready_ GUARDED_BY(mutex_);
  std::set<std::pair<Steady, Key>> waiting_ GUARDED_BY(mutex_);
  std::unordered_map<Key, State> states_ GUARDED_BY(mutex_);
  size_t running_ GUARDED_BY(mutex_) = 0;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace proa::client
