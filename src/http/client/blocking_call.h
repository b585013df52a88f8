#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "http/client/call.h"

namespace proa::http {

// A call for blocking code: watches, uploads, gRPC streams. Not on a loop's thread. One thread may
// read while another writes; cancel() may come from any. The destructor cancels an unfinished call.
// A deadline that passes gives Timeout, a stop request ServiceUnavailable; neither ends the call,
// so that a reader can wake up regularly and continue.
class BlockingCall {
 public:
  class State;
  // Created by Client::open.
  BlockingCall(std::shared_ptr<State> state, std::shared_ptr<ClientCall> call);
  ~BlockingCall();
  BlockingCall(const BlockingCall&) = delete;
  BlockingCall& operator=(const BlockingCall&) = delete;

  // Waits for the response head.
  Result<ResponseHead> head(const Until& until);
  // The next part of the response body as it arrives; nullopt at its end.
  Result<std::optional<Bytes>> read(const Until& until);
  // `wake` is called, on a loop's thread and under no lock that read() takes, when read() may have
  // something; never after the call is destroyed.
  void on_readable(std::function<void()> wake);
  // Whether the call has ended or failed: read() has no more than what has arrived.
  bool is_over() const;
  // When it did.
  std::optional<Steady> over_at() const;
  // After read() found the end.
  Headers trailers() const;

  // Blocks while too much written data is still queued. Data that was accepted is sent even if the
  // deadline passes. REQUIRES: the request set streams_body.
  Result<void> write(Bytes bytes, const Until& until);
  void finish_writing(Headers trailers = {});
  void cancel();

  static std::shared_ptr<State> make_state(Clock& clock);
  static std::shared_ptr<CallEvents> events(const std::shared_ptr<State>& state);

 private:
  const std::shared_ptr<State> state_;
  const std::shared_ptr<ClientCall> call_;
};

}  // namespace proa::http
