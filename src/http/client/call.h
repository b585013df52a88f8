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

// The events of a call, all on the loop's thread. on_end or on_error is the last event and comes
// once; after a cancel, no event comes.
class CallEvents {
 public:
  virtual ~CallEvents() = default;
  // The first event, for handlers that need the call before Client::start returns it.
  virtual void on_start(const std::shared_ptr<ClientCall>& /*call*/) {}
  virtual void on_head(ResponseHead head) = 0;
  // Flow control: the peer is stopped, beyond a window, until these bytes are passed to
  // ClientCall::consume.
  virtual void on_body(std::string_view bytes) = 0;
  virtual void on_end(Headers trailers) = 0;
  virtual void on_error(const Status& why) = 0;
  // That many bytes of ClientCall::write were sent.
  virtual void on_sent(size_t /*bytes*/) {}
};

// The connection that carries a call. Loop thread only.
class Carrier {
 public:
  virtual ~Carrier() = default;
  virtual void send(ClientCall& call, Bytes bytes) = 0;
  virtual void finish(ClientCall& call, Headers trailers) = 0;
  virtual void consume(ClientCall& call, size_t bytes) = 0;
  // The response is no longer wanted.
  virtual void abandon(ClientCall& call) = 0;
};

// One request and its response. Created by Client::start; handles may be kept and used on any
// thread, even after the call has ended, as long as the loops exist. Operations from other threads
// run on the loop's thread, in order.
class ClientCall : public std::enable_shared_from_this<ClientCall> {
 public:
  ClientCall(Loop& loop, ClientRequest request, std::shared_ptr<CallEvents> events);

  // More of the request body. REQUIRES: the request set streams_body.
  void write(Bytes bytes);
  // The request body is complete. Trailers are sent on HTTP/1.1 and HTTP/2.
  void finish_writing(Headers trailers = {});
  // The reader consumed that many bytes of on_body.
  void consume(size_t bytes);
  // Cancels the call. On the loop's thread, no event comes after this returns; on others, one may
  // be in progress.
  void cancel();

  Loop& loop() { return loop_; }
  const ClientRequest& request() const { return request_; }

  // For the pool and its connections, on the loop's thread.

  void begin();
  // `stream`: the carrier's id of this call.
  void attach(Carrier& carrier, int32_t stream);
  // The carrier is gone; another one may follow.
  void detach() { carrier_ = nullptr; }
  int32_t stream() const { return stream_; }
  // No more events.
  bool over() const { return events_ == nullptr; }
  bool finished_writing() const { return finished_; }
  // Whether the whole request can be sent again: no part of a response was delivered.
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
  std::deque<Bytes> written_;  // before a carrier was attached
  Headers trailers_;
  bool finished_;
  bool answered_ = false;
  bool sent_streamed_ = false;
  int attempts_ = 0;
};

}  // namespace proa::http
