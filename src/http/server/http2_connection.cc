#include <unordered_map>

#include "http/server/connection.h"
#include "http/wire/http2_session.h"

namespace proa::http {
namespace http2_connection {

constexpr size_t kPumpSize = 16 * 1024;  // one TLS record a time
constexpr size_t kFrameHead = 9;
constexpr uint32_t kInternalError = 2;  // RFC 9113, 7
constexpr uint32_t kRefusedStream = 7;  // nothing was done: the client may try again
constexpr uint32_t kCancel = 8;
constexpr uint32_t kEnhanceYourCalm = 11;
// The window of bodies that are being read.
constexpr uint32_t kWideWindow = 256 * 1024;
// Streams whose client reads nothing for this long may be reset for others.
constexpr Duration kStalled = std::chrono::seconds(5);

}  // namespace http2_connection

class Http2Connection;

// One stream, as seen by its exchange.
class Http2Stream final : public ResponseStream, private OutputLane::Holder {
 public:
  Http2Stream(Http2Connection& connection, StreamId id) : connection_(connection), id_(id) {}

  void send_head(const ResponseHead& head, bool end) override;
  void send_body(Bytes bytes) override;
  void send_end(Headers trailers) override;
  void flush() override;
  void consume(size_t bytes) override;
  void set_aside(size_t bytes) override;
  void widen() override;
  void reset() override;
  Result<std::unique_ptr<Socket>> take_socket(const Headers&, std::string&) override {
    return Status(Reason::kBadRequest, "HTTP/2 connections cannot be upgraded; use HTTP/1.1");
  }

  // That many body bytes were written into frames; returns how many were not dropped since.
  size_t sent(size_t bytes, Steady now);
  void drop_unsent() override;

  ExchangePtr exchange;
  bool request_done = false;
  size_t unsent = 0;  // body bytes not yet in frames
  size_t unread = 0;  // body bytes not yet consumed
  Steady progress;    // when the client last took some of them

 private:
  // The head of a request, once nothing but the reader keeps the stream open.
  class UnreadHead final : public OutputLane::Holder {
   public:
    explicit UnreadHead(Http2Stream& stream) : stream_(stream) {}
    using Holder::leave;
    using Holder::progressed;

   private:
    size_t unsent_bytes() const override { return stream_.exchange->head_bytes(); }
    void drop_unsent() override { stream_.drop_unsent(); }

    Http2Stream& stream_;
  };

  size_t unsent_bytes() const override { return unsent; }
  // The response is complete.
  void wait_for_reader();

  Http2Connection& connection_;
  const StreamId id_;
  UnreadHead unread_head_{*this};
};

// HTTP/2 on one connection: many exchanges at once.
class Http2Connection final : public Protocol, public Http2Session::Events {
 public:
  explicit Http2Connection(Connection& connection)
      : connection_(connection),
        session_(Http2Session::Role::kServer, connection.limits().http2, *this) {}

  Http2Session& session() { return session_; }
  Connection& connection() { return connection_; }
  void add_unsent(size_t bytes, const Http2Stream& to);
  void remove_unsent(size_t bytes) { unsent_ -= bytes; }
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
  void overdue() override;
  void say_goodbye() override;

  // Http2Session::Events
  void on_request(StreamId id, RequestHead head, bool end) override;
  void on_body(StreamId id, std::string_view bytes) override;
  void on_body_end(StreamId id, Headers trailers) override;
  void on_sent(StreamId id, size_t bytes) override;
  void on_stream_closed(StreamId id, uint32_t error_code) override;

  void pump();
  void end_streams();
  void set_deadline();

  // What the connection's deadline is for.
  enum class Deadline : uint8_t { kIdle, kBodies, kNone };
  void expect(Deadline what);

  Connection& connection_;
  Http2Session session_;
  std::unordered_map<StreamId, std::unique_ptr<Http2Stream>> streams_;
  size_t unsent_ = 0;  // of all streams
  uint64_t progress_ = 0;
  Deadline deadline_ = Deadline::kIdle;
  bool watches_bodies_ = false;  // there may be requests with an incomplete body
  bool used_ = false;            // since the idle time began
  bool receiving_ = false;
  bool pumping_ = false;
  bool pump_scheduled_ = false;
  bool draining_ = false;
};

std::unique_ptr<Protocol> make_http2(Connection& connection) {
  return std::make_unique<Http2Connection>(connection);
}

void Http2Stream::send_head(const ResponseHead& head, bool end) {
  connection_.session().respond(id_, head, end);
  if (end) wait_for_reader();
}

void Http2Stream::send_body(Bytes bytes) {
  if (unsent == 0) progress = connection_.connection().loop().now();
  unsent += bytes.size();
  connection_.add_unsent(bytes.size(), *this);
  if (unsent > OutputLane::kFew) {
    bytes = connection_.connection().output()->charge(*this, std::move(bytes));
  }
  connection_.session().send(id_, std::move(bytes));
}

size_t Http2Stream::sent(size_t bytes, Steady now) {
  bytes = std::min(bytes, unsent);
  unsent -= bytes;
  progress = now;
  progressed();
  unread_head_.progressed();
  if (unsent == 0) leave();
  return bytes;
}

// The session tells the client; the exchange ends from the loop, for its handler may be the one who
// needs the memory now.
void Http2Stream::drop_unsent() {
  leave();
  unread_head_.leave();
  connection_.remove_unsent(std::exchange(unsent, 0));
  connection_.session().drop(id_, http2_connection::kEnhanceYourCalm);
  connection_.schedule_pump();
  Connection& connection = connection_.connection();
  connection.loop().post([dropped = exchange] { dropped->closed(); });
}

void Http2Stream::send_end(Headers trailers) {
  connection_.session().end(id_, std::move(trailers));
  wait_for_reader();
}

void Http2Stream::wait_for_reader() {
  Connection& connection = connection_.connection();
  connection.unread_heads()->set_own(unread_head_, exchange->head_bytes());
}

void Http2Stream::flush() { connection_.schedule_pump(); }

void Http2Stream::consume(size_t bytes) {
  bytes = std::min(bytes, unread);
  unread -= bytes;
  connection_.session().consume(id_, bytes);
  connection_.schedule_pump();
}

void Http2Stream::set_aside(size_t bytes) {
  connection_.session().set_aside(id_, bytes);
  connection_.schedule_pump();
}

void Http2Stream::widen() {
  connection_.session().widen(id_, http2_connection::kWideWindow);
  connection_.schedule_pump();
}

void Http2Stream::reset() {
  connection_.session().reset(
      id_, exchange->answered() ? http2_connection::kInternalError : http2_connection::kCancel);
  connection_.schedule_pump();
}

void Http2Connection::start() {
  expect(Deadline::kIdle);
  pump();  // our settings go first
}

void Http2Connection::on_data(std::string_view bytes) {
  receiving_ = true;
  const auto received = session_.receive(bytes);
  receiving_ = false;
  pump();  // also the GOAWAY that tells why
  if (!connection_.is_open()) return;
  if (!received.ok()) {
    // A reset, for what is not read, would take the GOAWAY with it.
    return session_.finished() ? connection_.close_gracefully() : connection_.close();
  }
  set_deadline();
}

void Http2Connection::expect(Deadline what) {
  deadline_ = what;
  const ServerLimits& limits = connection_.limits();
  switch (what) {
    case Deadline::kIdle:
      used_ = watches_bodies_ = false;
      return connection_.expect_within(limits.idle_timeout);
    case Deadline::kBodies:
      return connection_.expect_within(limits.body_timeout);
    case Deadline::kNone:
      return connection_.expect_within(std::nullopt);
  }
}

void Http2Connection::set_deadline() {
  Deadline wanted = watches_bodies_ ? Deadline::kBodies : Deadline::kNone;
  if (streams_.empty()) wanted = Deadline::kIdle;
  if (wanted != deadline_ || (wanted == Deadline::kIdle && used_)) expect(wanted);
}

void Http2Connection::overdue() {
  if (streams_.empty()) return connection_.close();
  const Steady now = connection_.loop().now();
  Steady next = now + connection_.limits().body_timeout;
  std::vector<ExchangePtr> late;
  watches_bodies_ = false;
  for (const auto& [id, stream] : streams_) {
    const std::optional<Steady> due = stream->exchange->body_due();
    if (due || !stream->request_done) watches_bodies_ = true;
    if (!due) continue;
    if (*due <= now) {
      late.push_back(stream->exchange);
    } else {
      next = std::min(next, *due);
    }
  }
  for (const ExchangePtr& exchange : late) exchange->body_late();
  set_deadline();
  if (deadline_ == Deadline::kBodies) connection_.expect_within(next - now);
}

void Http2Connection::say_goodbye() {
  session_.goaway();
  pump();
}

// A stream that is full alone may be a large list; several that nobody reads are not.
void Http2Connection::add_unsent(size_t bytes, const Http2Stream& to) {
  unsent_ += bytes;
  if (unsent_ <= connection_.limits().unsent_per_connection) return;
  const Steady stalled = connection_.loop().now() - http2_connection::kStalled;
  for (const auto& [id, stream] : streams_) {
    if (stream.get() != &to && stream->unsent > 0 && stream->progress <= stalled) {
      stream->drop_unsent();
    }
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
  if (session_.finished()) {
    connection_.close_gracefully();
    return end_streams();
  }
  if (draining_ && streams_.empty() && socket.unsent() == 0) return connection_.close_gracefully();
  // The kernel accepted everything at once, so no event follows for the rest.
  if (session_.wants_output() && socket.unsent() == 0) schedule_pump();
}

void Http2Connection::on_request(StreamId id, RequestHead head, bool end) {
  auto exchange = connection_.make_exchange(std::move(head));
  if (exchange == nullptr) return session_.reset(id, http2_connection::kRefusedStream);
  auto stream = std::make_unique<Http2Stream>(*this, id);
  exchange->attach(stream.get());
  stream->exchange = exchange;
  if (end) {
    stream->request_done = true;
    exchange->body_ended();
  } else {
    watches_bodies_ = true;
  }
  streams_.emplace(id, std::move(stream));
  used_ = true;
  connection_.set_use(ConnectionUse::kBusy);
  if (draining_) exchange->draining();
  call_handler(connection_.handler(), exchange);
}

void Http2Connection::on_body(StreamId id, std::string_view bytes) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  found->second->unread += bytes.size();
  found->second->exchange->body_arrived(bytes);
}

void Http2Connection::on_body_end(StreamId id, Headers) {
  const auto found = streams_.find(id);
  if (found == streams_.end() || std::exchange(found->second->request_done, true)) return;
  found->second->exchange->body_ended();
}

void Http2Connection::on_sent(StreamId id, size_t bytes) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  unsent_ -= found->second->sent(bytes, connection_.loop().now());
  progress_ += bytes;
  found->second->exchange->sent(bytes);
}

void Http2Connection::on_stream_closed(StreamId id, uint32_t) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  const auto stream = std::move(found->second);
  streams_.erase(found);
  unsent_ -= stream->unsent;
  progress_ += stream->unsent;
  if (streams_.empty()) connection_.set_use(ConnectionUse::kIdle);
  stream->exchange->closed();
  set_deadline();
}

void Http2Connection::drain() {
  if (std::exchange(draining_, true)) return;
  session_.goaway();
  std::vector<ExchangePtr> exchanges;  // telling one may end it
  for (const auto& [id, stream] : streams_) exchanges.push_back(stream->exchange);
  for (const auto& exchange : exchanges) exchange->draining();
  pump();
}

void Http2Connection::closed() { end_streams(); }

void Http2Connection::end_streams() {
  const auto streams = std::exchange(streams_, {});
  for (const auto& [id, stream] : streams) stream->exchange->closed();
  unsent_ = 0;
}

}  // namespace proa::http
