#include "apiserver/front/http/watch_answer.h"

#include "apiserver/representation/status.h"
#include "apiserver/representation/warnings.h"
#include "http/websocket/handshake.h"
#include "http/websocket/websocket.h"

namespace proa::apiserver {
namespace watch_answer {

using http::ExchangePtr;

class BodyChannel final : public WatchChannel {
 public:
  explicit BodyChannel(ExchangePtr exchange) : exchange_(std::move(exchange)) {}
  void send(Bytes event) override { exchange_->write(std::move(event)); }
  size_t unsent() const override { return exchange_->unsent(); }
  void finish() override { exchange_->finish(); }

 private:
  const ExchangePtr exchange_;
};

// Lives until the socket is closed; ignores client messages.
class SocketChannel final : public WatchChannel, private http::WebSocket::Events {
 public:
  SocketChannel(std::unique_ptr<http::Socket> socket, bool binary, Random& random)
      : binary_(binary),
        socket_(new http::WebSocket(std::move(socket), http::WebSocketCodec::Role::kServer,
                                    kMaxBytes, random, *this)) {}
  void hold(std::shared_ptr<WatchStream> stream) { stream_ = std::move(stream); }
  void begin(std::string_view early) { socket_->start(early); }

  void send(Bytes event) override {
    if (socket_ == nullptr) return;
    std::string_view text = event.view();
    if (!binary_ && text.ends_with('\n')) text.remove_suffix(1);
    socket_->send(binary_ ? http::WebSocket::Kind::kBinary : http::WebSocket::Kind::kText, text);
  }
  size_t unsent() const override { return socket_ == nullptr ? 0 : socket_->unsent(); }
  void finish() override {
    if (socket_ != nullptr) socket_->close(1000, "");
  }

 private:
  static constexpr size_t kMaxBytes = 4096;  // clients send nothing

  void on_message(http::WebSocket::Kind, std::string_view) override {}
  void on_drained() override {
    if (stream_ != nullptr) stream_->pump();
  }
  void on_closed(uint16_t, std::string_view) override {
    // The stream owns this channel: both are destroyed by this call.
    const std::shared_ptr<WatchStream> stream = std::move(stream_);
    socket_.reset();
    if (stream != nullptr) stream->stop();
  }

  const bool binary_;
  std::unique_ptr<http::WebSocket> socket_;
  std::shared_ptr<WatchStream> stream_;
};

// The default duration of a watch, randomized so that clients do not all reconnect at once. As
// upstream's --min-request-timeout.
Duration default_timeout(Random& random) {
  constexpr uint64_t kSeconds = 1800;
  return std::chrono::seconds(kSeconds + random.below(kSeconds));
}

void answer_body(const ExchangePtr& exchange, store::Store& store, WatchPlan plan, Random& random) {
  http::ResponseHead head;
  head.headers.add("content-type", plan.encoder.media.content_type(true));
  head.headers.add("cache-control", "no-cache, private");
  add_warnings(head.headers, plan.warnings);
  exchange->start(std::move(head));
  exchange->release_headers();
  auto stream = std::make_shared<WatchStream>(
      exchange->loop(), std::make_unique<BodyChannel>(exchange), std::move(plan));
  // The exchange owns the stream through this callback, which it drops when it ends.
  const std::weak_ptr<WatchStream> weak = stream;
  const auto when_alive = [weak](void (WatchStream::*what)()) {
    return [weak, what] {
      if (const auto alive = weak.lock()) (alive.get()->*what)();
    };
  };
  exchange->on_drained(when_alive(&WatchStream::pump));
  exchange->on_draining(when_alive(&WatchStream::stop));
  exchange->on_closed([stream] { stream->stop(); });
  stream->start(store, default_timeout(random));
}

void answer_socket(const ExchangePtr& exchange, store::Store& store, WatchPlan plan,
                   Random& random) {
  Result<http::WebSocketAgreement> agreed = http::accept_websocket(exchange->request(), {});
  if (!agreed) {
    exchange->respond(status_response(agreed.status()));
    return;
  }
  const bool binary = plan.encoder.media.encoding == Encoding::kProtobuf;
  http::Loop& loop = exchange->loop();
  exchange->upgrade(
      std::move(agreed->headers),
      [&loop, &store, &random, binary, plan = std::move(plan)](std::unique_ptr<http::Socket> socket,
                                                               const std::string& early) mutable {
        auto channel = std::make_unique<SocketChannel>(std::move(socket), binary, random);
        SocketChannel& raw = *channel;
        auto stream = std::make_shared<WatchStream>(loop, std::move(channel), std::move(plan));
        raw.hold(stream);
        raw.begin(early);
        stream->start(store, default_timeout(random));
      });
}

}  // namespace watch_answer

void answer_watch(const http::ExchangePtr& exchange, store::Store& store, WatchPlan plan,
                  Random& random) {
  if (http::wants_websocket(exchange->request())) {
    watch_answer::answer_socket(exchange, store, std::move(plan), random);
  } else {
    watch_answer::answer_body(exchange, store, std::move(plan), random);
  }
}

}  // namespace proa::apiserver
