#include "store/etcd/follow/watch_stream.h"

namespace proa::store::etcd {
namespace watch_stream {

// More than this is left in the connection until it is read: flow control stops etcd.
constexpr size_t kMaxInbox = 16u << 20;

}  // namespace watch_stream

class WatchStream::Inbox final : public http::GrpcEvents {
 public:
  void on_message(Bytes message) override {
    MutexLock lock(mutex_);
    bytes_ += message.size();
    messages_.push_back(std::move(message));
    changed_.notify_all();
    if (paused_ || bytes_ <= watch_stream::kMaxInbox || !call_) return;
    paused_ = true;
    call_->pause();
  }
  void on_end(const std::optional<Status>& failure) override {
    MutexLock lock(mutex_);
    end_ = failure ? *failure
                   : Status(Reason::kServiceUnavailable, "etcd ended the watch without a reason");
    changed_.notify_all();
  }
  void wake() {
    MutexLock lock(mutex_);
    changed_.notify_all();
  }
  // What is paused when too much is unread; null: nothing any more.
  void bind(std::optional<http::GrpcCall> call) {
    MutexLock lock(mutex_);
    call_.reset();
    if (call) call_.emplace(*call);
  }

  Result<Bytes> receive(Clock& clock, const Until& until) {
    MutexLock lock(mutex_);
    while (messages_.empty()) {
      if (end_) return *end_;
      if (until.stop.stop_requested())
        return Status(Reason::kServiceUnavailable, "the store is closed");
      if (clock.steady() >= until.deadline) return Status(Reason::kTimeout, "no message");
      clock.wait_until(changed_, mutex_, until.deadline);
    }
    Bytes message = std::move(messages_.front());
    messages_.pop_front();
    bytes_ -= message.size();
    if (paused_ && bytes_ <= watch_stream::kMaxInbox / 2 && call_) {
      paused_ = false;
      call_->resume();
    }
    return message;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::deque<Bytes> messages_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;
  std::optional<Status> end_ GUARDED_BY(mutex_);
  std::optional<http::GrpcCall> call_ GUARDED_BY(mutex_);
  bool paused_ GUARDED_BY(mutex_) = false;
};

WatchStream::WatchStream(EtcdClient& client, std::string_view create_request)
    : clock_(client.clock()), inbox_(std::make_shared<Inbox>()) {
  call_.emplace(client.open("Watch/Watch", inbox_, endpoint_));
  inbox_->bind(call_);
  call_->send(create_request);
}

WatchStream::~WatchStream() {
  inbox_->bind(std::nullopt);
  call_->cancel();
}

Result<Bytes> WatchStream::receive(const Until& until) {
  const std::stop_callback on_stop(until.stop, [this] { inbox_->wake(); });
  return inbox_->receive(clock_, until);
}

void WatchStream::fail(const Status& why) { inbox_->on_end(why); }

void WatchStream::send(std::string_view message) { call_->send(message); }

}  // namespace proa::store::etcd
