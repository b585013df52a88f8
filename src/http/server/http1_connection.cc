#include "http/server/connection.h"
#include "http/server/date.h"
#include "http/wire/http1_parser.h"

namespace proa::http {

// HTTP/1.0 and 1.1 on one connection: one request at a time, in order.
class Http1Connection final : public Protocol, public Http1Parser::Events, public ResponseStream {
 public:
  explicit Http1Connection(Connection& connection)
      : connection_(connection),
        parser_(Http1Parser::Kind::kRequests, connection.limits().http1, *this) {}

 private:
  // Protocol
  void start() override { connection_.expect_within(connection_.limits().head_timeout); }
  void on_data(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void drain() override;
  void closed() override;
  size_t unsent() const override { return 0; }  // all of it is in the socket
  uint64_t progress() const override { return 0; }
  void overdue() override;
  void say_goodbye() override {}  // closing says it

  // Http1Parser::Events
  void on_request(RequestHead head) override;
  void on_body(std::string_view bytes) override;
  void on_message_end(Headers trailers) override;

  // ResponseStream
  void send_head(const ResponseHead& head, bool end) override;
  void send_body(Bytes bytes) override;
  void send_end(Headers trailers) override;
  void flush() override;
  void consume(size_t bytes) override;
  void set_aside(size_t) override {}  // there is no other request
  void widen() override {}
  void reset() override { connection_.close(); }
  Result<std::unique_ptr<Socket>> take_socket(const Headers& headers, std::string& early) override;

  bool may_parse() const;
  bool reader_is_behind() const { return unread_ > connection_.limits().unread_bytes; }
  void process();
  void hold_back();
  void close_after_answer();
  void finish_exchange();
  void refuse(const Status& status);

  // What we wait for, which selects the deadline.
  enum class Waiting : uint8_t { kForHead, kForRestOfHead, kForBody, kForNothing };
  void wait(Waiting waiting);

  Connection& connection_;
  Http1Parser parser_;
  Waiting waiting_ = Waiting::kForHead;
  std::string pending_;   // unparsed bytes
  ExchangePtr exchange_;  // the request in progress
  bool processing_ = false;
  bool draining_ = false;
  bool closing_ = false;
  bool peer_ended_ = false;  // it sends nothing more, but may still read
  bool no_room_ = false;     // for the head of a request, which is refused
  // the current request
  bool handled_ = false;       // passed to the handler
  bool request_done_ = false;  // its body is complete
  bool end_reported_ = false;  // and the exchange was notified
  bool answer_done_ = false;
  bool keep_alive_ = false;
  bool chunked_ = false;
  Version version_ = Version::kHttp11;
  size_t unread_ = 0;       // body bytes not yet consumed
  size_t body_unsent_ = 0;  // body bytes in the socket, not reported as sent
};

std::unique_ptr<Protocol> make_http1(Connection& connection) {
  return std::make_unique<Http1Connection>(connection);
}

void Http1Connection::wait(Waiting waiting) {
  const auto& limits = connection_.limits();
  const bool changed = std::exchange(waiting_, waiting) != waiting;
  switch (waiting) {
    case Waiting::kForHead:
      // Restarted in any case: requests that are answered immediately do not change the state.
      connection_.expect_within(limits.idle_timeout);
      break;
    case Waiting::kForRestOfHead:
      // Counts from the first byte, however slowly the rest arrives.
      if (changed) connection_.expect_within(limits.head_timeout);
      break;
    case Waiting::kForBody:
      // The exchange knows how its body comes along: see overdue().
      if (changed) connection_.expect_within(limits.body_timeout);
      break;
    case Waiting::kForNothing:
      if (changed) connection_.expect_within(std::nullopt);
      break;
  }
}

void Http1Connection::overdue() {
  if (waiting_ != Waiting::kForBody || !exchange_) return connection_.close();
  const Steady now = connection_.loop().now();
  const std::optional<Steady> due = exchange_->body_due();
  if (due && *due <= now) exchange_->body_late();
  if (!exchange_) return;  // answered, or closed
  connection_.expect_within(due && *due > now ? *due - now : connection_.limits().body_timeout);
}

void Http1Connection::on_data(std::string_view bytes) {
  pending_.append(bytes);
  process();
}

// The next request waits until the response of the current one is sent: a client that sends a
// thousand requests and reads nothing must not fill our memory.
bool Http1Connection::may_parse() const {
  return connection_.is_open() && !closing_ && !pending_.empty() && !(exchange_ && request_done_) &&
         connection_.socket().unsent() <= Socket::kLowWater;
}

void Http1Connection::process() {
  if (processing_) return;
  processing_ = true;
  while (may_parse()) {
    auto taken = parser_.feed(pending_);
    if (!taken.ok()) {
      refuse(taken.status());
      break;
    }
    pending_.erase(0, *taken);
    if (no_room_) {
      refuse({Reason::kServiceUnavailable, "too many requests are open; try again later"});
      break;
    }
    if (exchange_ && !handled_) {
      handled_ = true;
      call_handler(connection_.handler(), exchange_);
    }
    // Not inside of the parser: the handler may take over the connection.
    if (exchange_ && request_done_ && !std::exchange(end_reported_, true)) exchange_->body_ended();
    if (!connection_.is_open()) break;
    if (exchange_ && answer_done_) {
      finish_exchange();
    } else if (exchange_) {
      wait(!request_done_ || exchange_->body_due() ? Waiting::kForBody : Waiting::kForNothing);
    } else if (parser_.in_message()) {
      wait(Waiting::kForRestOfHead);
    }
    if (*taken == 0) break;
  }
  processing_ = false;
  if (!connection_.is_open()) return;
  // The rest cannot become a request any more.
  const bool blocked = !pending_.empty() && connection_.socket().unsent() > Socket::kLowWater;
  if (peer_ended_ && !exchange_ && !closing_ && !blocked) return close_after_answer();
  flush();
  hold_back();
}

// Reading pauses while parsing does. If nothing is buffered, reading continues during a request, to
// detect that its client is gone.
void Http1Connection::hold_back() {
  if (!connection_.is_open()) return;
  const bool stuck = !pending_.empty() && !closing_ && !may_parse();
  if (stuck || reader_is_behind()) {
    connection_.socket().pause();
  } else {
    connection_.socket().resume();
  }
}

void Http1Connection::on_request(RequestHead head) {
  version_ = head.version;
  keep_alive_ = parser_.keep_alive();
  handled_ = request_done_ = end_reported_ = answer_done_ = chunked_ = false;
  unread_ = body_unsent_ = 0;
  exchange_ = connection_.make_exchange(std::move(head));
  if (exchange_ == nullptr) {
    no_room_ = true;
    return;
  }
  exchange_->attach(this);
  connection_.set_use(ConnectionUse::kBusy);
  if (draining_) exchange_->draining();
  if (parser_.expects_continue())
    connection_.socket().write(Bytes::of_static("HTTP/1.1 100 Continue\r\n\r\n"));
}

void Http1Connection::on_body(std::string_view bytes) {
  if (!exchange_) return;  // aborted meanwhile
  unread_ += bytes.size();
  exchange_->body_arrived(bytes);
}

void Http1Connection::consume(size_t bytes) {
  unread_ -= std::min(bytes, unread_);
  if (!processing_) hold_back();
}

void Http1Connection::on_message_end(Headers) { request_done_ = true; }

void Http1Connection::send_head(const ResponseHead& head, bool end) {
  ResponseHead out = head;
  // An unfinished body would have to be read to its end before the next request.
  if (draining_ || !request_done_ || (peer_ended_ && pending_.empty())) keep_alive_ = false;
  const bool no_body = out.status < 200 || out.status == 204 || out.status == 304 ||
                       exchange_->request().method == "HEAD";
  if (!no_body && !out.headers.has("content-length")) {
    if (end) {
      out.headers.add("content-length", "0");
    } else if (version_ == Version::kHttp11) {
      chunked_ = true;
      out.headers.set("transfer-encoding", "chunked");
    } else {
      keep_alive_ = false;  // the end of the connection is the end of the body
    }
  }
  if (!keep_alive_) {
    out.headers.set("connection", "close");
  } else if (version_ == Version::kHttp10) {
    out.headers.set("connection", "keep-alive");
  }
  connection_.socket().write(Bytes(print_response_head(out, version_)));
  answer_done_ = end;
}

void Http1Connection::send_body(Bytes bytes) {
  body_unsent_ += bytes.size();
  Socket& socket = connection_.socket();
  if (!chunked_) return socket.write(std::move(bytes));
  socket.write(Bytes(print_chunk_size(bytes.size())));
  socket.write(std::move(bytes));
  socket.write(Bytes::of_static("\r\n"));
}

void Http1Connection::send_end(Headers trailers) {
  answer_done_ = true;
  if (!chunked_) return;
  if (trailers.empty()) return connection_.socket().write(Bytes::of_static("0\r\n\r\n"));
  connection_.socket().write(Bytes(print_last_chunk(trailers)));
}

void Http1Connection::flush() {
  if (processing_) return;
  connection_.socket().flush();
  connection_.watch_writing();
  if (exchange_) {
    const size_t left = std::min(body_unsent_, connection_.socket().unsent());
    const size_t gone = body_unsent_ - left;
    body_unsent_ = left;
    if (gone > 0) exchange_->sent(gone);
  }
  if (exchange_ && answer_done_) {
    finish_exchange();
    process();
  }
}

void Http1Connection::finish_exchange() {
  const bool whole = request_done_;
  const auto exchange = std::exchange(exchange_, nullptr);
  connection_.set_use(ConnectionUse::kIdle);
  exchange->closed();
  if (!connection_.is_open()) return;
  if (!keep_alive_ || draining_ || !whole) return close_after_answer();
  parser_.next_message();
  wait(Waiting::kForHead);
}

void Http1Connection::close_after_answer() {
  closing_ = true;
  pending_.clear();
  connection_.close_gracefully();
}

void Http1Connection::on_drained() {
  flush();
  if (connection_.is_open()) process();
}

void Http1Connection::on_end() {
  // Clients may half-close after a request: complete requests are answered. In the middle of a
  // request or of a streaming response, the client counts as gone.
  peer_ended_ = true;
  if (exchange_ && (exchange_->answered() || !request_done_)) return connection_.close();
  process();
}

void Http1Connection::drain() {
  draining_ = true;
  if (exchange_) return exchange_->draining();
  if (!parser_.in_message()) close_after_answer();
}

void Http1Connection::closed() {
  if (const auto exchange = std::exchange(exchange_, nullptr)) exchange->closed();
}

// The parser's error is sent as text, and the connection ends: the start of the next message is
// unknown.
void Http1Connection::refuse(const Status& status) {
  if (exchange_) return connection_.close();
  const std::string text = status.message() + "\n";
  ResponseHead head{status.code(),
                    {{"content-type", "text/plain; charset=utf-8"}, {"connection", "close"}}};
  head.headers.add("content-length", std::to_string(text.size()));
  head.headers.add("date", current_http_date());
  connection_.socket().write(Bytes(print_response_head(head, Version::kHttp11) + text));
  close_after_answer();
}

Result<std::unique_ptr<Socket>> Http1Connection::take_socket(const Headers& headers,
                                                             std::string& early) {
  if (!parser_.upgrade() || !request_done_ || version_ != Version::kHttp11) {
    return Status(Reason::kBadRequest, "this request cannot be upgraded to another protocol");
  }
  ResponseHead head{101, headers};
  if (!head.headers.has("connection")) head.headers.add("connection", "Upgrade");
  connection_.socket().write(Bytes(print_response_head(head, Version::kHttp11)));
  connection_.socket().flush();
  early = std::move(pending_);
  pending_.clear();
  const auto exchange = std::exchange(exchange_, nullptr);
  auto socket = connection_.release_socket();
  exchange->closed();
  return socket;
}

}  // namespace proa::http
