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

// A call for code that waits: watches, uploads, gRPC streams. Not on a loop's thread. One thread
// may read while another writes; cancel() may come from any. Destruction calls off what is not
// over.
//
// A deadline that passes gives Timeout, a stop ServiceUnavailable; neither ends the call, so that a
// reader can look up now and then and go on.
class BlockingCall {
 public:
  class State;
  // Made by Client::open.
  BlockingCall(std::shared_ptr<State> state, std::shared_ptr<ClientCall> call);
  ~BlockingCall();
  BlockingCall(const BlockingCall&) = delete;
  BlockingCall& operator=(const BlockingCall&) = delete;

  // Waits for the answer's head.
  Result<ResponseHead> head(const Until& until);
  // The next part of the answer's body, as it comes; nothing at its end.
  Result<std::optional<Bytes>> read(const Until& until);
  // From now on `wake` is called, on a loop's thread and under no lock that read() takes, when
  // read() may have something; never after the call is gone.
  void on_readable(std::function<void()> wake);
  // After read() found the end.
  Headers trailers() const;

  // Waits while much of what was written before is still on its way. What it took is not taken back
  // when the deadline passes. REQUIRES: the request said streams_body.
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
