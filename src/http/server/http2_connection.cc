#include <unordered_map>

#include "http/server/connection.h"
#include "http/wire/http2_session.h"

namespace proa::http {
namespace http2_connection {

constexpr size_t kPumpSize = 16 * 1024;  // one TLS record a time
constexpr size_t kFrameHead = 9;
constexpr uint32_t kInternalError = 2;  // RFC 9113, 7
constexpr uint32_t kCancel = 8;

}  // namespace http2_connection

class Http2Connection;

// One stream, as seen by its exchange.
class Http2Stream final : public ResponseStream {
 public:
  Http2Stream(Http2Connection& connection, StreamId id) : connection_(connection), id_(id) {}

  void send_head(const ResponseHead& head, bool end) override;
  void send_body(Bytes bytes) override;
  void send_end(Headers trailers) override;
  void flush() override;
  void consume(size_t bytes) override;
  void reset() override;
  Result<std::unique_ptr<Socket>> take_socket(const Headers&, std::string&) override {
    return Status(Reason::kBadRequest, "HTTP/2 connections cannot be upgraded; use HTTP/1.1");
  }

  ExchangePtr exchange;
  bool request_done = false;
  size_t unsent = 0;  // body bytes not yet in frames
  size_t unread = 0;  // body bytes not yet consumed

 private:
  Http2Connection& connection_;
  const StreamId id_;
};

// HTTP/2 on one connection: many exchanges at once.
class Http2Connection final : public Protocol, public Http2Session::Events {
 public:
  explicit Http2Connection(Connection& connection)
      : connection_(connection),
        session_(Http2Session::Role::kServer, connection.limits().http2, *this) {}

  Http2Session& session() { return session_; }
  void add_unsent(size_t bytes) { unsent_ += bytes; }
  void body_read(size_t bytes) { unread_ -= bytes; }
  // Output is sent when the received bytes are processed, or, for responses from other threads,
  // after the tasks queued on the loop: many responses share a write.
  void schedule_pump();

 private:
  // Protocol
  void start() override;
  void on_data(std::string_view bytes) override;
  void on_end() override { connection_.close(); }
  void on_drained() override { pump(); }
  void drain() override;
  void closed() override;
  size_t unsent() const override { return unsent_; }
  uint64_t progress() const override { return progress_; }

  // Http2Session::Events
  void on_request(StreamId id, RequestHead head, bool end) override;
  void on_body(StreamId id, std::string_view bytes) override;
  void on_body_end(StreamId id, Headers trailers) override;
  void on_sent(StreamId id, size_t bytes) override;
  void on_stream_closed(StreamId id, uint32_t error_code) override;

  void pump();
  void set_deadline(bool bytes_came);

  Connection& connection_;
  Http2Session session_;
  std::unordered_map<StreamId, std::unique_ptr<Http2Stream>> streams_;
  size_t unfinished_bodies_ = 0;  // requests with an incomplete body
  size_t unsent_ = 0;             // of all streams
  size_t unread_ = 0;
  uint64_t progress_ = 0;
  bool receiving_ = false;
  bool pumping_ = false;
  bool pump_scheduled_ = false;
  bool draining_ = false;
  bool was_idle_ = true;
};

std::unique_ptr<Protocol> make_http2(Connection& connection) {
  return std::make_unique<Http2Connection>(connection);
}

void Http2Stream::send_head(const ResponseHead& head, bool end) {
  connection_.session().respond(id_, head, end);
}

void Http2Stream::send_body(Bytes bytes) {
  unsent += bytes.size();
  connection_.add_unsent(bytes.size());
  connection_.session().send(id_, std::move(bytes));
}

void Http2Stream::send_end(Headers trailers) {
  connection_.session().end(id_, std::move(trailers));
}

void Http2Stream::flush() { connection_.schedule_pump(); }

void Http2Stream::consume(size_t bytes) {
  bytes = std::min(bytes, unread);
  unread -= bytes;
  connection_.body_read(bytes);
  connection_.session().consume(id_, bytes);
  connection_.schedule_pump();
}

void Http2Stream::reset() {
  connection_.session().reset(
      id_, exchange->answered() ? http2_connection::kInternalError : http2_connection::kCancel);
  connection_.schedule_pump();
}

void Http2Connection::start() {
  connection_.expect_within(connection_.limits().idle_timeout);
  pump();  // our settings go first
}

void Http2Connection::on_data(std::string_view bytes) {
  receiving_ = true;
  const auto received = session_.receive(bytes);
  receiving_ = false;
  pump();  // also the GOAWAY that tells why
  if (!connection_.is_open()) return;
  if (!received.ok()) return connection_.close();
  set_deadline(true);
}

void Http2Connection::set_deadline(bool bytes_came) {
  if (streams_.empty()) {
    if (!std::exchange(was_idle_, true))
      connection_.expect_within(connection_.limits().idle_timeout);
    return;
  }
  was_idle_ = false;
  if (unfinished_bodies_ == 0 || unread_ > 0) {  // nothing to wait for, or our reader is behind
    connection_.expect_within(std::nullopt);
  } else if (bytes_came) {
    connection_.expect_within(connection_.limits().body_timeout);
  }
}

void Http2Connection::schedule_pump() {
  if (receiving_ || pumping_ || std::exchange(pump_scheduled_, true)) return;
  connection_.loop().post([this, alive = connection_.shared_from_this()] {
    pump_scheduled_ = false;
    pump();
  });
}

void Http2Connection::pump() {
  if (pumping_ || !connection_.is_open()) return;
  pumping_ = true;
  Socket& socket = connection_.socket();
  while (connection_.is_open() && session_.wants_output() && socket.unsent() < Socket::kLowWater) {
    std::string out;
    out.reserve(http2_connection::kPumpSize + http2_connection::kFrameHead);
    session_.take_output(out, http2_connection::kPumpSize);
    if (out.empty() || !connection_.is_open()) break;
    socket.write(Bytes(std::move(out)));
  }
  pumping_ = false;
  if (!connection_.is_open()) return;
  socket.flush();
  connection_.watch_writing();
  // No more requests from a client that does not read: even refusals fill memory.
  if (socket.unsent() >= Socket::kLowWater) {
    socket.pause();
  } else {
    socket.resume();
  }
  if (session_.finished()) return connection_.close_gracefully();
  if (draining_ && streams_.empty() && socket.unsent() == 0) return connection_.close_gracefully();
  // The kernel accepted everything at once, so no event follows for the rest.
  if (session_.wants_output() && socket.unsent() == 0) schedule_pump();
}

void Http2Connection::on_request(StreamId id, RequestHead head, bool end) {
  auto stream = std::make_unique<Http2Stream>(*this, id);
  auto exchange = connection_.make_exchange(std::move(head));
  exchange->attach(stream.get());
  stream->exchange = exchange;
  if (end) {
    stream->request_done = true;
    exchange->body_ended();
  } else {
    ++unfinished_bodies_;
  }
  streams_.emplace(id, std::move(stream));
  was_idle_ = false;
  if (draining_) exchange->draining();
  connection_.handler().handle(std::move(exchange));
}

void Http2Connection::on_body(StreamId id, std::string_view bytes) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  found->second->unread += bytes.size();
  unread_ += bytes.size();
  found->second->exchange->body_arrived(bytes);
}

void Http2Connection::on_body_end(StreamId id, Headers) {
  const auto found = streams_.find(id);
  if (found == streams_.end() || std::exchange(found->second->request_done, true)) return;
  --unfinished_bodies_;
  found->second->exchange->body_ended();
}

void Http2Connection::on_sent(StreamId id, size_t bytes) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  found->second->unsent -= bytes;
  unsent_ -= bytes;
  progress_ += bytes;
  found->second->exchange->sent(bytes);
}

void Http2Connection::on_stream_closed(StreamId id, uint32_t) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  const auto stream = std::move(found->second);
  streams_.erase(found);
  if (!stream->request_done) --unfinished_bodies_;
  unsent_ -= stream->unsent;
  unread_ -= stream->unread;
  progress_ += stream->unsent;
  stream->exchange->closed();
  set_deadline(false);
}

void Http2Connection::drain() {
  if (std::exchange(draining_, true)) return;
  session_.goaway();
  std::vector<ExchangePtr> exchanges;  // telling one may end it
  for (const auto& [id, stream] : streams_) exchanges.push_back(stream->exchange);
  for (const auto& exchange : exchanges) exchange->draining();
  pump();
}

void Http2Connection::closed() {
  const auto streams = std::exchange(streams_, {});
  for (const auto& [id, stream] : streams) stream->exchange->closed();
  unsent_ = unread_ = 0;
}

}  // namespace proa::http
