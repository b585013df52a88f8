#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "base/threads/mutex.h"
#include "http/net/loop.h"
#include "http/net/socket.h"
#include "http/server/limits.h"
#include "http/wire/message.h"

namespace proa::http {

// Who is at the other end.
struct Peer {
  std::string address;            // IP address; empty on a unix socket
  PeerCertificates certificates;  // what it showed, not yet judged
  bool secure = false;            // came over TLS
  // What the handler found out about it, for the next request. Loop thread only.
  mutable std::shared_ptr<const void> identity = nullptr;
};

// A connection's side of one request. Loop thread only; the exchange is its one caller.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;
  virtual void send_head(const ResponseHead& head, bool end) = 0;
  virtual void send_body(Bytes bytes) = 0;
  virtual void send_end(Headers trailers) = 0;
  // What was sent so far shall go out.
  virtual void flush() = 0;
  // The reader took so many body bytes.
  virtual void consume(size_t bytes) = 0;
  // Ends the request without an answer, or in the middle of it.
  virtual void reset() = 0;
  // HTTP/1.1 only: answers 101 and gives the connection away.
  virtual Result<std::unique_ptr<Socket>> take_socket(const Headers& headers,
                                                      std::string& early) = 0;
};

// One request and its answer, from the first byte to the last. Its methods may be called from any
// thread, unless they say otherwise; callbacks come on the loop's thread. It lives as long as
// somebody holds it: when the peer is gone, what is sent goes nowhere.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  using BodyDone = std::function<void(Result<Bytes>)>;
  // Body bytes as they come; an empty optional is the end. Call consume() when they are dealt with.
  // A body that is cut short has no end: on_closed is all that comes.
  using BodyPart = std::function<void(std::optional<Bytes>)>;
  using Upgraded = std::function<void(std::unique_ptr<Socket>, std::string early)>;

  Exchange(Loop& loop, RequestHead request, std::shared_ptr<const Peer> peer,
           std::shared_ptr<const ServerLimits> limits);

  const RequestHead& request() const { return request_; }
  const Peer& peer() const { return *peer_; }
  Loop& loop() { return loop_; }

  // Gathers the whole body. A body over the limit is refused with 413 as `done`'s Status.
  void read_body(BodyDone done);
  void stream_body(BodyPart part);
  void consume(size_t bytes);

  // The whole answer at once, compressed where that is worth it.
  void respond(Response response);

  // An answer in parts. write() never blocks: look at unsent(), and wait for on_drained.
  void start(ResponseHead head);
  void write(Bytes bytes);
  void finish(Headers trailers = {});
  size_t unsent() const { return unsent_.load(std::memory_order_relaxed); }
  // Called each time that what is unsent falls to Socket::kLowWater.
  void on_drained(std::function<void()> drained);
  // Called once, when the peer is gone, the answer is over, or the exchange was aborted.
  void on_closed(std::function<void()> closed);
  // Called once when the server wants to stop: long answers (watches) should come to an end.
  void on_draining(std::function<void()> draining);
  void abort();

  // Switches protocols (HTTP/1.1): the socket, and what the client sent already. On failure the
  // request has been answered with 400, and `upgraded` is not called.
  void upgrade(Headers headers, Upgraded upgraded);

  // For the connection, on the loop's thread.
  void attach(ResponseStream* stream) { stream_ = stream; }
  void body_arrived(std::string_view bytes);
  void body_ended();
  void sent(size_t bytes);
  void draining();
  void closed();
  bool answered() const { return head_sent_; }

 private:
  template <typename Task>
  void on_loop(Task task);
  void send_whole(Response response);
  bool is_bare(int status) const;  // whether an answer of that status is its head alone
  void deliver_body();
  void deliver_parts();

  Loop& loop_;
  const RequestHead request_;
  const std::shared_ptr<const Peer> peer_;
  const std::shared_ptr<const ServerLimits> limits_;  // the exchange may outlive the server
  std::atomic<size_t> unsent_{0};
  // Below: loop thread only.
  ResponseStream* stream_ = nullptr;  // null once closed
  std::string body_;
  size_t gathered_ = 0;  // of body_, what the peer was told to have been read
  bool body_over_ = false;
  bool too_large_ = false;
  bool head_sent_ = false;
  bool end_sent_ = false;
  bool closed_ = false;
  bool draining_ = false;
  BodyDone body_done_;
  BodyPart body_part_;
  std::function<void()> drained_;
  std::function<void()> on_closed_;
  std::function<void()> on_draining_;
};

using ExchangePtr = std::shared_ptr<Exchange>;

// Answers requests. handle() runs on a loop's thread: what is at hand is answered there, what may
// wait is passed to a pool.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void handle(ExchangePtr exchange) = 0;
};

}  // namespace proa::http
