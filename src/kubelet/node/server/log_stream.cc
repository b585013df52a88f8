#include "kubelet/node/server/log_stream.h"

#include "base/log.h"

namespace proa::kubelet {
namespace log_stream {

const Log kLog{"kubelet"};

// So much may wait to be sent before no more is read.
constexpr size_t kMostUnsent = 1024 * 1024;

// The state of the client: wakes the sending thread when there is room, and when the client is
// gone. Shared with the exchange, whose callbacks may come late.
class Reader {
 public:
  void drained() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    changed_.notify_all();
  }
  void leave() EXCLUDES(mutex_) {
    gone_.request_stop();
    drained();
  }
  std::stop_token gone() const { return gone_.get_token(); }

  // Until there is room to send, or the reader has gone.
  void wait_for_room(const http::Exchange& exchange) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (!gone_.stop_requested() && exchange.unsent() > kMostUnsent) changed_.wait(mutex_);
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::stop_source gone_;
};

}  // namespace log_stream

void send_log(const http::ExchangePtr& exchange, LogText& log, const std::stop_token& stop) {
  const auto reader = std::make_shared<log_stream::Reader>();
  exchange->on_drained([reader] { reader->drained(); });
  exchange->on_closed([reader] { reader->leave(); });
  exchange->on_draining([reader] { reader->leave(); });
  const std::stop_callback stopped(stop, [&] { reader->leave(); });
  // Headers go out at once, even if the log is still empty.
  exchange->start({.status = 200, .headers = {{"content-type", "text/plain"}}});
  const Until until{.deadline = Steady::max(), .stop = reader->gone()};
  while (!reader->gone().stop_requested()) {
    Result<std::optional<std::string>> part = log.next(until);
    if (!part) {
      if (!reader->gone().stop_requested()) {
        log_stream::kLog.warn("reading a container log failed", {{"error", part.status()}});
      }
      break;
    }
    if (!*part) break;
    exchange->write(Bytes(std::move(**part)));
    reader->wait_for_room(*exchange);
  }
  exchange->finish();
}

}  // namespace proa::kubelet
