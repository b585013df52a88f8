#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "http/client/request.h"
#include "http/net/loop.h"

namespace proa::http {

class ClientCall;

// What happens to a call. All on the loop's thread. on_end or on_error is the last event and comes
// once, unless the call was cancelled: then nothing more comes.
class CallEvents {
 public:
  virtual ~CallEvents() = default;
  // The first event, for those who want the call before Client::start gave it to them.
  virtual void on_start(const std::shared_ptr<ClientCall>& /*call*/) {}
  virtual void on_head(ResponseHead head) = 0;
  // The peer is held back until these bytes are given to ClientCall::consume, beyond a window.
  virtual void on_body(std::string_view bytes) = 0;
  virtual void on_end(Headers trailers) = 0;
  virtual void on_error(const Status& why) = 0;
  // So many bytes of ClientCall::write are on their way.
  virtual void on_sent(size_t /*bytes*/) {}
};

// The connection that carries a call. Loop thread only.
class Carrier {
 public:
  virtual ~Carrier() = default;
  virtual void send(ClientCall& call, Bytes bytes) = 0;
  virtual void finish(ClientCall& call, Headers trailers) = 0;
  virtual void consume(ClientCall& call, size_t bytes) = 0;
  // Nobody waits for the answer any more.
  virtual void abandon(ClientCall& call) = 0;
};

// One request and its answer. Made by Client::start; handles may be kept and used on any thread,
// even after the call is over, as long as the loops exist. What is asked off the loop's thread is
// done on it, in order.
class ClientCall : public std::enable_shared_from_this<ClientCall> {
 public:
  ClientCall(Loop& loop, ClientRequest request, std::shared_ptr<CallEvents> events);

  // More of the request's body. REQUIRES: the request said streams_body.
  void write(Bytes bytes);
  // The request's body is complete. Trailers go out on HTTP/1.1 and HTTP/2.
  void finish_writing(Headers trailers = {});
  // The answer's reader took so many bytes of on_body.
  void consume(size_t bytes);
  // Calls it off. On the loop's thread no event comes after this returned; else one may be under
  // way.
  void cancel();

  Loop& loop() { return loop_; }
  const ClientRequest& request() const { return request_; }

  // What follows is for the pool and its connections, on the loop's thread.

  void begin();
  // `stream`: the carrier's own name for this call.
  void attach(Carrier& carrier, int32_t stream);
  // The carrier is gone; another may come.
  void detach() { carrier_ = nullptr; }
  int32_t stream() const { return stream_; }
  // No event will come any more.
  bool over() const { return events_ == nullptr; }
  bool finished_writing() const { return finished_; }
  // Whether the request could be sent once more, all of it, with nobody having seen an answer to
  // it.
  bool can_start_over() const { return !over() && !answered_ && !sent_streamed_; }
  int attempts() const { return attempts_; }

  void answer_head(ResponseHead head);
  void answer_body(std::string_view bytes);
  void answer_end(Headers trailers);
  void fail(const Status& why);
  void sent(size_t bytes);

 private:
  void cancel_now();

  Loop& loop_;
  const ClientRequest request_;
  // Below: loop thread only.
  std::shared_ptr<CallEvents> events_;
  Carrier* carrier_ = nullptr;
  int32_t stream_ = 0;
  std::deque<Bytes> written_;  // before there was a carrier
  Headers trailers_;
  bool finished_;
  bool answered_ = false;
  bool sent_streamed_ = false;
  int attempts_ = 0;
};

}  // namespace proa::http
