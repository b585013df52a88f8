#include "http/net/loop.h"

#include <pthread.h>
#include <signal.h>
#include <uv.h>

#include <future>

#include "base/check.h"
#include "base/log.h"
#include "base/threads/guarded.h"

namespace proa::http {
namespace loop {

const Log kLog{"http"};

// A few handshakes: a fair share of the loop's time, but short enough that a request behind it is
// not delayed noticeably.
constexpr uint64_t kCostlySliceNanoseconds = 2'000'000;

uint64_t milliseconds(Duration duration) {
  // Rounded up: a timer never fires early.
  const auto count = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  return count < 0 ? 0 : static_cast<uint64_t>(count);
}

// Writing to a closed connection is an ordinary error. Blocked for this thread only: other threads
// handle the signal as they like.
void block_broken_pipe_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace loop

Loop::Loop()
    : loop_(std::make_unique<uv_loop_t>()),
      wake_(std::make_unique<uv_async_t>()),
      costly_turn_(std::make_unique<uv_idle_t>()) {
  CHECK(uv_loop_init(loop_.get()) == 0);
  wake_->data = this;
  CHECK(uv_async_init(loop_.get(), wake_.get(),
                      [](uv_async_t* handle) { static_cast<Loop*>(handle->data)->drain(); }) == 0);
  costly_turn_->data = this;
  uv_idle_init(loop_.get(), costly_turn_.get());
  thread_ = std::thread([this] { serve(); });
}

void Loop::serve() {
  loop::block_broken_pipe_signal();
  uv_run(loop_.get(), UV_RUN_DEFAULT);
  // Closing may post tasks, and those may close more.
  while (drain()) uv_run(loop_.get(), UV_RUN_DEFAULT);
  uv_close(reinterpret_cast<uv_handle_t*>(wake_.get()), nullptr);
  uv_close(reinterpret_cast<uv_handle_t*>(costly_turn_.get()), nullptr);
  uv_run(loop_.get(), UV_RUN_DEFAULT);
}

Loop::~Loop() {
  // The loop then runs as long as other handles are open.
  post([this] { uv_unref(reinterpret_cast<uv_handle_t*>(wake_.get())); });
  thread_.join();
  CHECK(uv_loop_close(loop_.get()) == 0);  // all handles are closed by then
}

void Loop::post(std::function<void()> task) {
  bool first = false;
  {
    MutexLock lock(mutex_);
    first = posted_.empty();
    posted_.push_back(std::move(task));
  }
  // One wake-up serves all tasks posted before the loop handles it.
  if (first) uv_async_send(wake_.get());
}

void Loop::run(std::function<void()> task) {
  if (in_loop()) {
    task();
  } else {
    post(std::move(task));
  }
}

void Loop::run_and_wait(const std::function<void()>& task) {
  CHECK(!in_loop());
  std::promise<void> done;
  post([&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

void Loop::queue_costly(Costly state, std::string_view address, FairQueue::Waiter& waiter) {
  (state == Costly::kBegun ? begun_ : new_).add(address, waiter);
  // While this is active the loop does not sleep: it polls for events between two slices.
  uv_idle_start(costly_turn_.get(),
                [](uv_idle_t* handle) { static_cast<Loop*>(handle->data)->do_costly_slice(); });
}

void Loop::do_costly_slice() {
  const uint64_t end = uv_hrtime() + loop::kCostlySliceNanoseconds;
  while (uv_hrtime() < end) {
    FairQueue& next = begun_.empty() ? new_ : begun_;
    if (next.empty()) {
      uv_idle_stop(costly_turn_.get());
      return;
    }
    next.call_next();
  }
}

Steady Loop::now() const { return Steady(std::chrono::milliseconds(uv_now(loop_.get()))); }

bool Loop::drain() {
  std::vector<std::function<void()>> tasks;
  {
    MutexLock lock(mutex_);
    tasks.swap(posted_);
  }
  for (auto& task : tasks) {
    if (const Result<void> done = guarded(task); !done) {
      loop::kLog.error("a task of a loop failed", {{"error", done.status()}});
    }
    task = nullptr;
  }
  return !tasks.empty();
}

LoopGroup::LoopGroup(size_t count) {
  for (size_t i = 0; i < std::max<size_t>(count, 1); ++i)
    loops_.push_back(std::make_unique<Loop>());
}

Loop& LoopGroup::next() {
  return *loops_[turn_.fetch_add(1, std::memory_order_relaxed) % loops_.size()];
}

struct Timer::Handle {
  uv_timer_t timer;
  Timer* owner;
};

Timer::Timer(Loop& loop, std::function<void()> fired)
    : handle_(new Handle{{}, this}), fired_(std::move(fired)) {
  uv_timer_init(loop.raw(), &handle_->timer);
  handle_->timer.data = handle_;
}

Timer::~Timer() {
  handle_->owner = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&handle_->timer),
           [](uv_handle_t* handle) { delete static_cast<Handle*>(handle->data); });
}

void Timer::start(Duration after) {
  // The loop's time is that of its last iteration, which may be long ago.
  uv_update_time(handle_->timer.loop);
  uv_timer_start(
      &handle_->timer,
      [](uv_timer_t* timer) {
        if (auto* owner = static_cast<Handle*>(timer->data)->owner) owner->fired_();
      },
      loop::milliseconds(after), 0);
}

void Timer::stop() { uv_timer_stop(&handle_->timer); }

}  // namespace proa::http
