#include "http/forward/forward.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "http/net/loop.h"

namespace proa::http {
namespace forwarding {

constexpr std::array<std::string_view, 10> kOfOneConnection = {
    "connection",        "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer",
    "transfer-encoding", "upgrade",    "proxy-connection",   "http2-settings"};
constexpr std::array<std::string_view, 2> kProtocols = {"websocket", "spdy/3.1"};
// How much of a replaced response is buffered, as upstream.
constexpr size_t kBufferedBytes = 50'000;
// The status recorded for clients that disconnected before a response, as upstream.
constexpr int kClientGone = 503;

bool is_of_one_connection(std::string_view name) {
  return std::find(kOfOneConnection.begin(), kOfOneConnection.end(), name) !=
         kOfOneConnection.end();
}

bool is_success(int status) { return status >= 200 && status <= 206; }

// An HTTP/2 request without a length is taken to have a body only with such a method.
bool expects_body(std::string_view method) { return method != "GET" && method != "HEAD"; }

bool has_body(const RequestHead& head) {
  if (head.headers.has("content-length")) return head.headers.get("content-length") != "0";
  if (head.version == Version::kHttp2) return expects_body(head.method);
  return head.headers.has("transfer-encoding");
}

// A forwarded request. Kept alive by the call until it is over, and by the exchange until the
// request body is complete.
class ForwardedCall final : public CallEvents, public std::enable_shared_from_this<ForwardedCall> {
 public:
  ForwardedCall(ExchangePtr exchange, ForwardOptions options)
      : exchange_(std::move(exchange)), options_(std::move(options)) {}

  void start(Client& client, ClientRequest request) {
    client.start(std::move(request), shared_from_this());
  }

  void on_start(const std::shared_ptr<ClientCall>& call) override {
    call_ = call;
    if (options_.timeout > Duration::zero()) start_timer();
    exchange_->on_closed([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->cancel_call();
    });
    if (!call->request().streams_body) return;
    exchange_->stream_body([self = shared_from_this()](std::optional<Bytes> part) {
      if (part) {
        self->call_->write(std::move(*part));
      } else {
        self->call_->finish_writing();
      }
    });
  }
  void on_sent(size_t bytes) override { exchange_->consume(bytes); }

  void on_head(ResponseHead head) override {
    answer_ = {.status = head.status, .headers = end_to_end(head.headers)};
    buffers_ = options_.replace && !is_success(answer_.status);
    // A response without a body is sent when the call is over: sending it ends the exchange, whose
    // event would cancel a call that is about to end.
    if (!buffers_ && !is_bare()) start_answer();
  }

  void on_body(std::string_view bytes) override {
    if (!started_) return gather(bytes);
    send(bytes, false);
    // More is requested once the client has read most of it.
    held_back_ += bytes.size();
    if (exchange_->unsent() <= Socket::kLowWater) take_held_back();
  }

  void on_end(Headers trailers) override {
    if (buffers_) return replace();
    if (!started_) start_answer();
    if (rewrite_) send({}, true);
    exchange_->finish(end_to_end(trailers));
  }

  void on_error(const Status& why) override {
    if (started_) return exchange_->abort();
    respond(options_.failed(why));
  }

 private:
  bool is_bare() const {
    return exchange_->request().method == "HEAD" || answer_.status == 204 || answer_.status == 304;
  }

  void start_answer() {
    if (answer_.status == 204) answer_.headers.remove("content-length");
    if (options_.edit) options_.edit(answer_);
    if (options_.rewrite && !is_bare()) rewrite_ = options_.rewrite(answer_);
    if (rewrite_) answer_.headers.remove("content-length");
    started_ = true;
    tell(answer_.status);
    exchange_->on_drained([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->take_held_back();
    });
    exchange_->start(std::move(answer_));
  }

  void send(std::string_view bytes, bool end) {
    if (!rewrite_) return exchange_->write(Bytes::copy_of(bytes));
    std::string rewritten = rewrite_(bytes, end);
    if (!rewritten.empty()) exchange_->write(Bytes(std::move(rewritten)));
  }

  // For a response that is replaced: bytes beyond the limit are dropped.
  void gather(std::string_view bytes) {
    call_->consume(bytes.size());
    if (!buffers_) return;
    gathered_.append(bytes.substr(0, kBufferedBytes - gathered_.size()));
    if (gathered_.size() < kBufferedBytes) return;
    call_->cancel();
    replace();
  }

  void replace() {
    respond(options_.replace({.status = answer_.status,
                              .headers = std::move(answer_.headers),
                              .body = Bytes(std::move(gathered_)),
                              .trailers = {}}));
  }

  void respond(Response response) {
    tell(response.status);
    exchange_->respond(std::move(response));
  }

  void take_held_back() {
    if (held_back_ > 0) call_->consume(std::exchange(held_back_, 0));
  }

  void start_timer() {
    Loop& loop = exchange_->loop();
    auto* timer = new Timer(loop, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->expire();
    });
    // The last reference may go while the timer fires, or on another thread.
    timer_ = std::shared_ptr<Timer>(
        timer, [&loop](Timer* dropped) { loop.post([dropped] { delete dropped; }); });
    timer_->start(options_.timeout);
  }

  void expire() {
    call_->cancel();
    if (started_) return exchange_->abort();
    respond(options_.failed(Status(Reason::kTimeout, "context deadline exceeded")));
  }

  // The client is gone, or has its response: then the call is over, and this has no effect.
  void cancel_call() {
    if (timer_ != nullptr) timer_->stop();
    call_->cancel();
    tell(kClientGone);
  }

  void tell(int status) {
    if (const auto answered = std::exchange(options_.answered, nullptr)) answered(status);
  }

  const ExchangePtr exchange_;
  ForwardOptions options_;
  std::shared_ptr<ClientCall> call_;
  ResponseHead answer_;
  ForwardOptions::Rewrite rewrite_;  // null: the body passes as it is
  std::shared_ptr<Timer> timer_;     // null: there is no timeout
  std::string gathered_;
  size_t held_back_ = 0;  // bytes not yet acknowledged to the backend
  bool buffers_ = false;
  bool started_ = false;
};

// What the client gets of a response to an upgrade.
ResponseHead edited(ResponseHead head, const ForwardOptions& options) {
  head.headers = end_to_end(head.headers);
  if (options.edit) options.edit(head);
  return head;
}

// The backend has switched: switch, too, and splice the two connections.
void join(const ExchangePtr& exchange, Tunnels& tunnels, const ForwardOptions& options,
          std::string_view protocol, Upgraded upgraded) {
  Headers headers = edited({.status = 101, .headers = upgraded.head.headers}, options).headers;
  headers.set("upgrade", protocol);
  const auto other = std::make_shared<Upgraded>(std::move(upgraded));
  exchange->upgrade(std::move(headers),
                    [other, &tunnels](std::unique_ptr<Socket> socket, const std::string& early) {
                      tunnels.add(std::move(socket), early, std::move(other->socket), other->early);
                    });
}

// A failure is passed on. Anything else is not a valid response.
Response refusal(const Response& answer, const ForwardOptions& options) {
  if (answer.status < 400) {
    return options.failed(Status(Reason::kUnknown, "invalid upgrade response: status code " +
                                                       std::to_string(answer.status)));
  }
  ResponseHead head = edited({.status = answer.status, .headers = answer.headers}, options);
  return {.status = head.status,
          .headers = std::move(head.headers),
          .body = answer.body,
          .trailers = {}};
}

void respond(const ExchangePtr& exchange, const ForwardOptions& options, Response response) {
  if (options.answered) options.answered(response.status);
  exchange->respond(std::move(response));
}

}  // namespace forwarding

Headers end_to_end(const Headers& headers) {
  Headers kept;
  for (const auto& [name, value] : headers) {
    const bool named = headers.has_token("connection", name);
    if (!named && !forwarding::is_of_one_connection(name)) kept.add(name, value);
  }
  return kept;
}

bool wants_upgrade(const RequestHead& head) {
  using forwarding::kProtocols;
  const auto asked = head.headers.all("upgrade");
  return head.version == Version::kHttp11 && asked.size() == 1 &&
         std::any_of(
             kProtocols.begin(), kProtocols.end(),
             [&](std::string_view known) { return equals_ignoring_case(asked[0], known); }) &&
         head.headers.has_token("connection", "upgrade") && !forwarding::has_body(head);
}

void forward(const ExchangePtr& exchange, Client& client, ClientRequest request,
             ForwardOptions options) {
  const RequestHead& head = exchange->request();
  request.method = head.method;
  // Our own server has already answered that.
  request.headers.remove("expect");
  request.headers.remove("content-length");
  request.streams_body = forwarding::has_body(head);
  // Keeps a given length: not every server reads chunks.
  if (request.streams_body && head.headers.has("content-length"))
    request.headers.set("content-length", head.headers.get("content-length"));
  std::make_shared<forwarding::ForwardedCall>(exchange, std::move(options))
      ->start(client, std::move(request));
}

void forward_upgrade(const ExchangePtr& exchange, Client& client, ClientRequest request,
                     ForwardOptions options) {
  request.method = exchange->request().method;
  request.origin.protocol = HttpProtocol::kHttp1;
  const std::string protocol(exchange->request().headers.get("upgrade"));
  request.headers.set("upgrade", protocol);
  client.upgrade(
      exchange->loop(), std::move(request), options.upgrade_timeout,
      [exchange, options, protocol, &client](Result<Upgraded> result) {
        if (!result.ok()) {
          return forwarding::respond(exchange, options, options.failed(result.status()));
        }
        if (options.answered) options.answered(101);
        forwarding::join(exchange, client.tunnels(), options, protocol, std::move(*result));
      },
      [exchange, options](const Response& answer) {
        forwarding::respond(exchange, options, forwarding::refusal(answer, options));
      });
}

}  // namespace proa::http
