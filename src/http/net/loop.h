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

// An event loop and the thread that runs it. Sockets, connections and timers belong to one loop and
// are touched on its thread only; everybody else says what is to be done with post().
class Loop {
 public:
  Loop();
  // Runs what was posted, waits until everybody has closed what he opened, ends the thread.
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Runs `task` on the loop's thread, after what was posted before. From any thread.
  void post(std::function<void()> task) EXCLUDES(mutex_);
  // Runs `task` at once when called on the loop's thread, else posts it.
  void run(std::function<void()> task);
  // Runs `task` on the loop's thread and waits for it. REQUIRES: not on the loop's thread.
  void run_and_wait(const std::function<void()>& task);
  // Queues work that is dear and that strangers can ask for (TLS handshakes), on behalf of an
  // address. Each turn of the loop does a slice of it, so that whatever else there is to do waits
  // for a slice at most. What has begun is brought to its end before something else begins: so a
  // part is finished early, where else all would be late. Loop thread only.
  enum class Costly : uint8_t { kBegun, kNew };
  void queue_costly(Costly state, std::string_view address, FairQueue::Waiter& waiter);
  bool in_loop() const { return std::this_thread::get_id() == thread_.get_id(); }

  uv_loop_s* raw() { return loop_.get(); }

 private:
  void serve();
  // Runs what was posted; false when there was nothing.
  bool drain() EXCLUDES(mutex_);
  void do_costly_slice();

  std::unique_ptr<uv_loop_s> loop_;
  std::unique_ptr<uv_async_s> wake_;
  std::unique_ptr<uv_idle_s> costly_turn_;  // active while costly work waits
  FairQueue begun_;
  FairQueue new_;
  Mutex mutex_;
  std::vector<std::function<void()>> posted_ GUARDED_BY(mutex_);
  std::thread thread_;
};

// The loops of a process, one a core.
class LoopGroup {
 public:
  explicit LoopGroup(size_t count);
  // The next one in turn. From any thread.
  Loop& next();
  Loop& at(size_t index) { return *loops_[index]; }
  size_t size() const { return loops_.size(); }

 private:
  std::vector<std::unique_ptr<Loop>> loops_;
  std::atomic<size_t> turn_{0};
};

// Calls back once after a time, unless stopped or started anew. Loop thread only.
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
