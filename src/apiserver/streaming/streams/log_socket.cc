#include "apiserver/streaming/streams/log_socket.h"

#include <array>
#include <utility>

#include "apiserver/representation/status.h"
#include "base/encoding.h"
#include "http/websocket/handshake.h"
#include "http/websocket/websocket.h"

namespace proa::apiserver {
namespace log_socket {

using http::WebSocket;

constexpr std::string_view kBase64 = "base64.binary.k8s.io";
constexpr std::array<std::string_view, 2> kProtocols = {"binary.k8s.io", kBase64};
constexpr size_t kMessageBytes = 2048;
// Unsent bytes at which the kubelet has to wait.
constexpr size_t kHighWater = 256 * 1024;
// The client has nothing to say.
constexpr size_t kMaxInMessage = 64 * 1024;
// How much of a kubelet's failure is read, as upstream.
constexpr size_t kFailureBytes = 50'000;
constexpr uint16_t kNormalClosure = 1000;
// The status recorded for clients that disconnected before a response, as upstream.
constexpr int kClientGone = 503;

// A log on its way: kept alive by the call and, once switched, by itself until it is over.
class LogSocket final : public http::CallEvents,
                        private WebSocket::Events,
                        public std::enable_shared_from_this<LogSocket> {
 public:
  LogSocket(http::ExchangePtr exchange, http::Client& client, http::WebSocketAgreement agreement,
            http::ForwardOptions options, Random& random)
      : exchange_(std::move(exchange)),
        client_(client),
        agreement_(std::move(agreement)),
        options_(std::move(options)),
        random_(random) {}

  void start(http::ClientRequest request) { client_.start(std::move(request), shared_from_this()); }

  void on_start(const std::shared_ptr<http::ClientCall>& call) override {
    call_ = call;
    exchange_->on_closed([weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self != nullptr && !self->switching_) self->client_left();
    });
  }

  void on_head(http::ResponseHead head) override {
    if (head.status < 200 || head.status > 206) {
      failure_ = {.status = head.status, .headers = http::end_to_end(head.headers)};
      return;
    }
    switching_ = true;
    exchange_->upgrade(agreement_.headers,
                       [self = shared_from_this()](std::unique_ptr<http::Socket> socket,
                                                   const std::string& early) {
                         self->begin(std::move(socket), early);
                       });
    if (socket_ == nullptr) client_left();
  }

  void on_body(std::string_view bytes) override {
    if (socket_ == nullptr) return gather(bytes);
    for (size_t i = 0; i < bytes.size(); i += kMessageBytes) send(bytes.substr(i, kMessageBytes));
    held_back_ += bytes.size();
    if (socket_ != nullptr && socket_->unsent() <= kHighWater) take_held_back();
  }

  void on_end(http::Headers) override {
    if (socket_ == nullptr) return refuse();
    socket_->close(kNormalClosure, {});
  }

  void on_error(const Status& why) override {
    if (socket_ != nullptr) return socket_->close(kNormalClosure, {});
    if (switching_) return;
    respond(options_.failed(why));
  }

  // The server stops.
  void finish() {
    const auto self = std::move(self_);
    if (self == nullptr) return;
    call_->cancel();
    if (over_) std::exchange(over_, nullptr)();
    // The socket is destroyed from the loop, not within its own callbacks.
    call_->loop().post([self] {});
  }

 private:
  void begin(std::unique_ptr<http::Socket> socket, const std::string& early) {
    tell(101);
    self_ = shared_from_this();
    http::Loop& loop = socket->loop();
    WebSocket::Events& events = *this;
    socket_ = std::make_unique<WebSocket>(std::move(socket), http::WebSocketCodec::Role::kServer,
                                          kMaxInMessage, random_, events);
    client_.tunnels().add(loop, [this](http::Tunnels::End over) -> http::Tunnels::End {
      over_ = std::move(over);
      return [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->finish();
      };
    });
    send({});
    socket_->start(early);
  }

  void send(std::string_view bytes) {
    if (agreement_.protocol == kBase64) {
      socket_->send(WebSocket::Kind::kText, to_base64(bytes));
    } else {
      socket_->send(WebSocket::Kind::kBinary, bytes);
    }
  }

  void on_message(WebSocket::Kind, std::string_view) override {}
  void on_drained() override { take_held_back(); }
  void on_closed(uint16_t, std::string_view) override { finish(); }

  void take_held_back() {
    if (held_back_ > 0) call_->consume(std::exchange(held_back_, 0));
  }

  void gather(std::string_view bytes) {
    call_->consume(bytes.size());
    if (switching_) return;
    gathered_.append(bytes.substr(0, kFailureBytes - gathered_.size()));
    if (gathered_.size() < kFailureBytes) return;
    call_->cancel();
    refuse();
  }

  void refuse() {
    if (switching_) return;
    failure_.body = Bytes(std::move(gathered_));
    respond(options_.replace(failure_));
  }

  void respond(http::Response response) {
    tell(response.status);
    exchange_->respond(std::move(response));
  }

  void client_left() {
    call_->cancel();
    tell(kClientGone);
  }

  void tell(int status) {
    if (const auto answered = std::exchange(options_.answered, nullptr)) answered(status);
  }

  const http::ExchangePtr exchange_;
  http::Client& client_;
  const http::WebSocketAgreement agreement_;
  http::ForwardOptions options_;
  Random& random_;
  std::shared_ptr<http::ClientCall> call_;
  http::Response failure_;
  std::string gathered_;
  bool switching_ = false;  // the kubelet has a log: the client gets 101
  std::unique_ptr<WebSocket> socket_;
  size_t held_back_ = 0;  // bytes not yet acknowledged to the kubelet
  std::function<void()> over_;
  std::shared_ptr<LogSocket> self_;
};

}  // namespace log_socket

void send_log_messages(const http::ExchangePtr& exchange, http::Client& client,
                       http::ClientRequest request, http::ForwardOptions options, Random& random) {
  Result<http::WebSocketAgreement> agreed =
      http::accept_websocket(exchange->request(), log_socket::kProtocols);
  if (!agreed.ok()) {
    if (options.answered) options.answered(agreed.status().code());
    return exchange->respond(status_response(agreed.status()));
  }
  request.method = "GET";
  std::make_shared<log_socket::LogSocket>(exchange, client, std::move(*agreed), std::move(options),
                                          random)
      ->start(std::move(request));
}

}  // namespace proa::apiserver
