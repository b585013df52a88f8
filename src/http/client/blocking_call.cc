#include "http/client/blocking_call.h"

#include <deque>
#include <stop_token>
#include <utility>

#include "base/threads/mutex.h"

namespace proa::http {
namespace blocking_call {

// Written bytes that may be on their way before a writer waits.
constexpr size_t kUnsentBytes = 256 * 1024;

}  // namespace blocking_call

// Shared by the loop, which fills it, and the waiting threads.
class BlockingCall::State final : public CallEvents {
 public:
  explicit State(Clock& clock) : clock_(clock) {}

  Result<ResponseHead> head(const Until& until) EXCLUDES(mutex_) {
    const std::stop_callback wake(until.stop, [this] { wake_all(); });
    MutexLock lock(mutex_);
    while (!head_ && !is_over()) TRY(wait(until, "waiting for an answer"));
    if (!head_) return *failure_;
    return *head_;
  }

  Result<std::optional<Bytes>> read(const Until& until) EXCLUDES(mutex_) {
    const std::stop_callback wake(until.stop, [this] { wake_all(); });
    MutexLock lock(mutex_);
    while (body_.empty() && !is_over()) TRY(wait(until, "waiting for the response body"));
    if (!body_.empty()) {
      std::optional<Bytes> next(std::move(body_.front()));
      body_.pop_front();
      return next;
    }
    if (failure_) return *failure_;
    return std::optional<Bytes>();
  }

  // Reserves `size` bytes once there is room for them.
  Result<void> reserve(size_t size, const Until& until) EXCLUDES(mutex_) {
    const std::stop_callback wake(until.stop, [this] { wake_all(); });
    MutexLock lock(mutex_);
    while (unsent_ >= blocking_call::kUnsentBytes && !is_over()) {
      TRY(wait(until, "waiting for the peer to read"));
    }
    if (failure_) return *failure_;
    if (is_over()) return Status(Reason::kServiceUnavailable, "the peer has already responded");
    unsent_ += size;
    return {};
  }

  bool has_ended() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return is_over();
  }

  std::optional<Steady> over_at() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return over_at_;
  }

  Headers trailers() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return trailers_;
  }

  void on_readable(std::function<void()> wake) EXCLUDES(wake_mutex_) {
    MutexLock lock(wake_mutex_);
    wake_ = std::move(wake);
  }

  void cancelled() EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      if (!is_over()) end_with(Status(Reason::kServiceUnavailable, "the call was cancelled"));
      changed_.notify_all();
    }
    tell();
  }

  void on_head(ResponseHead head) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    head_ = std::move(head);
    changed_.notify_all();
  }
  void on_body(std::string_view bytes) override EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      body_.push_back(Bytes::copy_of(bytes));
      changed_.notify_all();
    }
    tell();
  }
  void on_end(Headers trailers) override EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      ended_ = true;
      over_at_ = clock_.steady();
      trailers_ = std::move(trailers);
      changed_.notify_all();
    }
    tell();
  }
  void on_error(const Status& why) override EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      if (!is_over()) end_with(why);
      changed_.notify_all();
    }
    tell();
  }
  void on_sent(size_t bytes) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    unsent_ -= std::min(bytes, unsent_);
    changed_.notify_all();
  }

 private:
  bool is_over() const REQUIRES(mutex_) { return ended_ || failure_.has_value(); }

  void end_with(Status why) REQUIRES(mutex_) {
    failure_ = std::move(why);
    over_at_ = clock_.steady();
  }

  Result<void> wait(const Until& until, std::string_view what) REQUIRES(mutex_) {
    if (until.stop.stop_requested()) {
      return Status(Reason::kServiceUnavailable, std::string(what) + ": stopped");
    }
    if (clock_.steady() >= until.deadline) {
      return Status(Reason::kTimeout, std::string(what) + ": deadline exceeded");
    }
    clock_.wait_until(changed_, mutex_, until.deadline);
    return {};
  }

  void tell() EXCLUDES(wake_mutex_) {
    MutexLock lock(wake_mutex_);
    if (wake_) wake_();
  }

  void wake_all() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    changed_.notify_all();
  }

  Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  std::optional<ResponseHead> head_ GUARDED_BY(mutex_);
  std::deque<Bytes> body_ GUARDED_BY(mutex_);
  Headers trailers_ GUARDED_BY(mutex_);
  std::optional<Status> failure_ GUARDED_BY(mutex_);
  size_t unsent_ GUARDED_BY(mutex_) = 0;
  bool ended_ GUARDED_BY(mutex_) = false;
  std::optional<Steady> over_at_ GUARDED_BY(mutex_);
  Mutex wake_mutex_;  // held during the call, so that none comes after destruction
  std::function<void()> wake_ GUARDED_BY(wake_mutex_);
};

std::shared_ptr<BlockingCall::State> BlockingCall::make_state(Clock& clock) {
  return std::make_shared<State>(clock);
}

std::shared_ptr<CallEvents> BlockingCall::events(const std::shared_ptr<State>& state) {
  return state;
}

BlockingCall::BlockingCall(std::shared_ptr<State> state, std::shared_ptr<ClientCall> call)
    : state_(std::move(state)), call_(std::move(call)) {}

BlockingCall::~BlockingCall() {
  state_->on_readable(nullptr);
  call_->cancel();
}

Result<ResponseHead> BlockingCall::head(const Until& until) {
  CHECK(!call_->loop().in_loop());
  return state_->head(until);
}

Result<std::optional<Bytes>> BlockingCall::read(const Until& until) {
  CHECK(!call_->loop().in_loop());
  auto next = TRY(state_->read(until));
  if (next) call_->consume(next->size());
  return next;
}

void BlockingCall::on_readable(std::function<void()> wake) { state_->on_readable(std::move(wake)); }

bool BlockingCall::is_over() const { return state_->has_ended(); }

std::optional<Steady> BlockingCall::over_at() const { return state_->over_at(); }

Headers BlockingCall::trailers() const { return state_->trailers(); }

Result<void> BlockingCall::write(Bytes bytes, const Until& until) {
  CHECK(!call_->loop().in_loop());
  TRY(state_->reserve(bytes.size(), until));
  call_->write(std::move(bytes));
  return {};
}

void BlockingCall::finish_writing(Headers trailers) { call_->finish_writing(std::move(trailers)); }

void BlockingCall::cancel() {
  state_->cancelled();
  call_->cancel();
}

}  // namespace proa::http
