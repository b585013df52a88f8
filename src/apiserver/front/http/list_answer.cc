#include "apiserver/front/http/list_answer.h"

namespace proa::apiserver {
namespace list_answer {

constexpr size_t kPart = 64 * 1024;
// How far production runs ahead of the client.
constexpr size_t kEnoughUnsent = 4 * kPart;
static_assert(kEnoughUnsent > http::Socket::kLowWater);

class ListStream {
 public:
  ListStream(http::Exchange& exchange, std::unique_ptr<ListMessage> message,
             std::function<void(size_t bytes)> done)
      : exchange_(exchange), message_(std::move(message)), done_(std::move(done)) {}

  void pump() {
    if (pumping_) return;  // sending may call back at once
    pumping_ = true;
    while (message_ != nullptr && !exchange_.is_closed() && exchange_.unsent() < kEnoughUnsent) {
      send_part();
    }
    pumping_ = false;
  }

 private:
  void send_part() {
    std::string part;
    part.reserve(kPart + kPart / 8);
    const bool more = message_->next(part, kPart);
    bytes_ += part.size();
    exchange_.write(Bytes(std::move(part)));
    if (more) return;
    message_ = nullptr;
    done_(bytes_);
    exchange_.finish();
  }

  http::Exchange& exchange_;  // owns this
  std::unique_ptr<ListMessage> message_;
  const std::function<void(size_t bytes)> done_;
  size_t bytes_ = 0;
  bool pumping_ = false;
};

}  // namespace list_answer

void answer_list(const http::ExchangePtr& exchange, http::ResponseHead head,
                 std::unique_ptr<ListMessage> message, std::function<void(size_t bytes)> done) {
  const auto stream =
      std::make_shared<list_answer::ListStream>(*exchange, std::move(message), std::move(done));
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
