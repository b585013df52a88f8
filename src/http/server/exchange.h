#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/bytes.h"
#include "base/result.h"
#include "base/threads/mutex.h"
#include "http/budgets/head_budget.h"
#include "http/net/loop.h"
#include "http/net/socket.h"
#include "http/server/limits.h"
#include "http/server/request_body.h"
#include "http/wire/message.h"

namespace proa::http {

// The client of a connection.
struct Peer {
  std::string address;            // IP address; empty on a unix socket
  PeerCertificates certificates;  // as sent, not yet verified
  bool secure = false;            // came over TLS
  // Cached by the handler for the next request. Loop thread only.
  mutable std::shared_ptr<const void> identity = nullptr;
};

// The connection's side of one request. Loop thread only; called by the exchange only.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;
  virtual void send_head(const ResponseHead& head, bool end) = 0;
  virtual void send_body(Bytes bytes) = 0;
  virtual void send_end(Headers trailers) = 0;
  // Sends what was written so far.
  virtual void flush() = 0;
  // The reader consumed that many body bytes.
  virtual void consume(size_t bytes) = 0;
  // See RequestBody::Flow.
  virtual void set_aside(size_t bytes) = 0;
  virtual void widen() = 0;
  // Ends the request without a response, or in the middle of it.
  virtual void reset() = 0;
  // HTTP/1.1 only: answers 101 and passes the connection on.
  virtual Result<std::unique_ptr<Socket>> take_socket(const Headers& headers,
                                                      std::string& early) = 0;
};

// Sees the response of one exchange, and adds fields to its head: for logs of requests. Released
// with the exchange; after an upgrade, with the connection.
class ResponseObserver {
 public:
  virtual ~ResponseObserver() = default;
  // A whole response, before it is compressed; also if the peer is gone. Any thread.
  virtual void on_response(const Response& response) = 0;
  // Any response is about to be sent. Loop thread, as below.
  virtual void on_head(ResponseHead& head) = 0;
  // A part of a response that is sent in parts.
  virtual void on_part(const Bytes& bytes) = 0;
  // The handler threw: there will be no response.
  virtual void on_thrown(const Status& why) = 0;
};

// The head of an open request, and its part of the budget.
struct OpenHead {
  RequestHead request;
  HeadBudget::SharePtr share;
};

// One request and its response. Thread-safe, unless a method says otherwise; callbacks come on the
// loop's thread. It lives as long as it is referenced: after the peer has gone, writes are
// discarded.
class Exchange final : public std::enable_shared_from_this<Exchange>, private RequestBody::Flow {
 public:
  using BodyDone = RequestBody::Done;
  // Body bytes as they arrive; nullopt is the end. Call consume() when they are processed. A
  // truncated body has no end: only on_closed follows.
  using BodyPart = RequestBody::Part;
  using Upgraded = std::function<void(std::unique_ptr<Socket>, std::string early)>;

  Exchange(Loop& loop, OpenHead head, std::shared_ptr<const Peer> peer,
           std::shared_ptr<const ExchangeContext> context);
  // What a request with that head takes in memory as long as it is open, about.
  static size_t memory_of(const RequestHead& head);

  const RequestHead& request() const { return head_.request; }
  // Drops the header fields of a request that stays open for long: a large token would be kept as
  // long as a watch. REQUIRES: nobody reads request().headers any more.
  void release_headers();
  const Peer& peer() const { return *peer_; }
  Loop& loop() { return loop_; }

  // Buffers the whole body. `done` gets a 413 Status for a body over the limit, 504 for one that
  // arrives too slowly, 429 if there is no room for it. `payer`: the user whose budget it uses;
  // empty: unknown. The body uses the budget as long as the bytes are referenced.
  void read_body(BodyDone done, std::string payer = {});
  void stream_body(BodyPart part);
  void consume(size_t bytes);

  // One after the other sees the response, if there are several. REQUIRES: on the loop's thread,
  // before anybody else has the exchange.
  void observe(std::shared_ptr<ResponseObserver> observer);
  // Null: nobody observes.
  ResponseObserver* observer() const { return observer_.get(); }

  // Adds a field to the head of whatever response is sent. Loop thread only, as keep().
  void add_to_head(std::string_view name, std::string_view value) { more_fields_.add(name, value); }
  // Drops it when the peer is gone or has its response; at once if that is so already.
  void keep(std::shared_ptr<const void> until_closed);

  // The whole response at once, compressed if that pays.
  void respond(Response response);

  // A response in parts. write() never blocks: check unsent(), and wait for on_drained.
  void start(ResponseHead head);
  void write(Bytes bytes);
  void finish(Headers trailers = {});
  size_t unsent() const { return unsent_.load(std::memory_order_relaxed); }
  // Called whenever unsent() falls to Socket::kLowWater.
  void on_drained(std::function<void()> drained);
  // Called once, when the peer is gone, the response is complete, or the exchange was aborted.
  void on_closed(std::function<void()> closed);
  // Called once when the server drains: long responses (watches) should end.
  void on_draining(std::function<void()> draining);
  void abort();
  // Whether the peer is gone: nobody reads a response any more. Any thread.
  bool is_closed() const { return closed_.load(std::memory_order_relaxed); }
  // Stops when the peer is gone, or has its response. Loop thread only.
  std::stop_token stop_token();

  // Switches protocols (HTTP/1.1): passes the socket and already received data. On failure the
  // request is answered with 400, and `upgraded` is not called.
  void upgrade(Headers headers, Upgraded upgraded);

  // For the connection, on the loop's thread.
  void attach(ResponseStream* stream) { stream_ = stream; }
  void body_arrived(std::string_view bytes) { body_.arrived(bytes); }
  void body_ended() { body_.ended(); }
  // See RequestBody. Once the response has begun, the body may take its time: both may be streams.
  std::optional<Steady> body_due() const { return head_sent_ ? std::nullopt : body_.due(); }
  void body_late();
  void sent(size_t bytes);
  void draining();
  void closed();
  bool answered() const { return head_sent_; }
  // What the request takes of the budget for heads.
  size_t head_bytes() const { return head_.share->bytes(); }

 private:
  template <typename Task>
  void on_loop(Task task);
  void send_whole(Response response);
  void complete(ResponseHead& head) const;
  bool is_bare(int status) const;  // whether a response with that status has no body
  // RequestBody::Flow
  void acknowledge(size_t bytes) override;
  void set_aside(size_t bytes) override;
  void widen() override;

  Loop& loop_;
  OpenHead head_;
  const std::shared_ptr<const Peer> peer_;
  const std::shared_ptr<const ExchangeContext> context_;  // the exchange may outlive the server
  std::shared_ptr<ResponseObserver> observer_;
  std::atomic<size_t> unsent_{0};
  std::atomic<bool> closed_{false};
  // Below: loop thread only.
  ResponseStream* stream_ = nullptr;  // null once closed
  RequestBody body_;
  Headers more_fields_;
  std::shared_ptr<const void> kept_;
  std::optional<std::stop_source> stop_;
  bool head_sent_ = false;
  bool end_sent_ = false;
  bool draining_ = false;
  std::function<void()> drained_;
  std::function<void()> on_closed_;
  std::function<void()> on_draining_;
};

using ExchangePtr = std::shared_ptr<Exchange>;

// Handles requests. handle() runs on a loop's thread: it answers from memory there, and passes
// blocking work to a pool.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void handle(ExchangePtr exchange) = 0;
};

// Calls the handler. If that throws, the exchange is aborted. Loop thread only.
void call_handler(Handler& handler, const ExchangePtr& exchange);
// What comes later for the exchange, on its loop's thread, with the same guard. Any thread.
void continue_later(const ExchangePtr& exchange, std::function<void()> work);

}  // namespace proa::http
