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

// What a reconcile wants next for its key.
struct Again {
  Duration after{0};  // zero: wait for the next event
};

// Keys that somebody must look at. A key waits at most once, and is never worked on twice at the
// same time: what is added meanwhile comes again afterwards. Safe to use from any thread.
class WorkQueue {
 public:
  struct Options {
    Backoff backoff;
    size_t max_running = 1;  // keys that are worked on at once
  };
  // Everything outlives it.
  WorkQueue(Clock& clock, Random& random, Options options)
      : clock_(clock), random_(random), options_(options) {}

  void add(const Key& key) EXCLUDES(mutex_);
  // No sooner than then; the earliest of several counts, and add() goes before.
  void add_after(const Key& key, Duration wait) EXCLUDES(mutex_);

  // Waits for a key; nullopt when `until` came first, or the queue is shut down. Whoever gets one
  // gives it back to finish().
  std::optional<Key> take(const Until& until) EXCLUDES(mutex_);
  // Without waiting.
  std::optional<Key> try_take() EXCLUDES(mutex_);
  // A failure means again, later and later; success forgets the failures before.
  void finish(const Key& key, const Result<Again>& outcome) EXCLUDES(mutex_);

  // Called, on any thread and under no lock, when try_take() may have a key after it had none, or
  // next_due() has come closer. Said once, before the first key.
  void on_ready(std::function<void()> wake) { wake_ = std::move(wake); }

  // Nothing is handed out any more.
  void shut_down() EXCLUDES(mutex_);
  // Ready, and worked on.
  size_t busy() const EXCLUDES(mutex_);
  // When the next of the keys that wait for their time is ready; max when there is none.
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
