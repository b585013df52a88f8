#include "apiserver/front/paths/streamed.h"

namespace proa::apiserver {
namespace streamed {

constexpr size_t kPart = 64 * 1024;
// How far production runs ahead of the client.
constexpr size_t kEnoughUnsent = 4 * kPart;
static_assert(kEnoughUnsent > http::Socket::kLowWater);

class PartStream {
 public:
  PartStream(http::Exchange& exchange, NextPart next, std::function<void(size_t bytes)> done)
      : exchange_(exchange), next_(std::move(next)), done_(std::move(done)) {}

  void pump() {
    if (pumping_) return;  // sending may call back at once
    pumping_ = true;
    while (next_ && !exchange_.is_closed() && exchange_.unsent() < kEnoughUnsent) {
      send_part();
    }
    pumping_ = false;
  }

 private:
  void send_part() {
    std::string part;
    part.reserve(kPart + kPart / 8);
    const bool more = next_(part, kPart);
    bytes_ += part.size();
    exchange_.write(Bytes(std::move(part)));
    if (more) return;
    next_ = nullptr;
    if (done_) done_(bytes_);
    exchange_.finish();
  }

  http::Exchange& exchange_;  // owns this
  NextPart next_;             // null at the end
  const std::function<void(size_t bytes)> done_;
  size_t bytes_ = 0;
  bool pumping_ = false;
};

}  // namespace streamed

void answer_in_parts(const http::ExchangePtr& exchange, http::ResponseHead head, NextPart next,
                     std::function<void(size_t bytes)> done) {
  const auto stream =
      std::make_shared<streamed::PartStream>(*exchange, std::move(next), std::move(done));
  exchange->loop().run([exchange, stream, head = std::move(head)]() mutable {
    exchange->start(std::move(head));
    exchange->on_drained([weak = std::weak_ptr(stream)] {
      if (const auto alive = weak.lock()) alive->pump();
    });
    // The exchange owns the stream through this callback, which it drops when it ends.
    exchange->on_closed([stream] {});
    stream->pump();
  });
}

}  // namespace proa::apiserver
