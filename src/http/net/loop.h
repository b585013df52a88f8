#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/threads/mutex.h"
#include "base/time.h"
#include "http/net/fair_queue.h"

struct uv_loop_s;
struct uv_async_s;
struct uv_idle_s;
struct uv_timer_s;

namespace proa::http {

// An event loop and its thread. Sockets, connections and timers belong to one loop and are used on
// its thread only; other threads use post().
class Loop {
 public:
  Loop();
  // Runs posted tasks, waits until all handles are closed, and ends the thread.
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Runs `task` on the loop's thread, after earlier posts. Thread-safe.
  void post(std::function<void()> task) EXCLUDES(mutex_);
  // Runs `task` immediately on the loop's thread, else posts it.
  void run(std::function<void()> task);
  // Runs `task` on the loop's thread and waits for it. REQUIRES: not on the loop's thread.
  void run_and_wait(const std::function<void()>& task);
  // Queues expensive work that unauthenticated peers can cause (TLS handshakes), on behalf of an
  // address. Each iteration of the loop does a slice of it, so that other work waits for one slice
  // at most. Started work is finished before new work starts, so that under overload some
  // handshakes finish early instead of all finishing late. Loop thread only.
  enum class Costly : uint8_t { kBegun, kNew };
  void queue_costly(Costly state, std::string_view address, FairQueue::Waiter& waiter);
  // The time when this iteration began: cheap. Loop thread only.
  Steady now() const;
  bool in_loop() const { return std::this_thread::get_id() == thread_.get_id(); }

  uv_loop_s* raw() { return loop_.get(); }

 private:
  void serve();
  // Runs posted tasks; false if there were none.
  bool drain() EXCLUDES(mutex_);
  void do_costly_slice();

  std::unique_ptr<uv_loop_s> loop_;
  std::unique_ptr<uv_async_s> wake_;
  std::unique_ptr<uv_idle_s> costly_turn_;  // active while expensive work is queued
  FairQueue begun_;
  FairQueue new_;
  Mutex mutex_;
  std::vector<std::function<void()>> posted_ GUARDED_BY(mutex_);
  std::thread thread_;
};

// The loops of a process, one per core.
class LoopGroup {
 public:
  explicit LoopGroup(size_t count);
  // Round robin. Thread-safe.
  Loop& next();
  Loop& at(size_t index) { return *loops_[index]; }
  size_t size() const { return loops_.size(); }

 private:
  std::vector<std::unique_ptr<Loop>> loops_;
  std::atomic<size_t> turn_{0};
};

// A one-shot timer; can be stopped and restarted. Loop thread only.
class Timer {
 public:
  Timer(Loop& loop, std::function<void()> fired);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  void start(Duration after);
  void stop();

 private:
  struct Handle;
  Handle* handle_;  // freed by the loop once it is closed
  std::function<void()> fired_;
};

}  // namespace proa::http
