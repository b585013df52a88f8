#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "http/client/client.h"
#include "http/client/grpc_status.h"
#include "http/wire/grpc_frame.h"

namespace proa::http {

struct GrpcOptions {
  size_t max_message = 16 * 1024 * 1024;  // of received messages
};

// A bidirectional stream of messages, for blocking code. Not on a loop's thread. One thread may
// send while another receives. The destructor cancels an unfinished call.
class GrpcStream {
 public:
  GrpcStream(std::unique_ptr<BlockingCall> call, const GrpcOptions& options);

  Result<void> send(std::string_view message, const Until& until);
  // No more messages from us.
  void half_close() { call_->finish_writing(); }
  // The next message; nullopt if the call ended successfully. A failure is the call's (grpc_code),
  // except for a deadline or stop of this wait, after which it may be called again.
  Result<std::optional<Bytes>> receive(const Until& until);
  void cancel() { call_->cancel(); }

 private:
  const std::unique_ptr<BlockingCall> call_;
  GrpcFrameReader reader_;
  std::optional<ResponseHead> head_;
};

// The events of a GrpcCall, on the loop's thread.
class GrpcEvents {
 public:
  virtual ~GrpcEvents() = default;
  virtual void on_message(Bytes message) = 0;
  // The last event; `failure` is empty on success.
  virtual void on_end(const std::optional<Status>& failure) = 0;
};

// A stream of messages for non-blocking code: event streams that last for days. Thread-safe. It
// continues without a holder, until it ends or is cancelled.
class GrpcCall {
 public:
  class Reader;
  GrpcCall(std::shared_ptr<Reader> reader, std::shared_ptr<ClientCall> call);

  void send(std::string_view message) { call_->write(print_grpc_frame(message)); }
  void half_close() { call_->finish_writing(); }
  // Stops messages until resume(), by flow control.
  void pause();
  void resume();
  // On the loop's thread, no event comes after this; on others, one may be in progress.
  void cancel();

 private:
  const std::shared_ptr<Reader> reader_;
  const std::shared_ptr<ClientCall> call_;
};

// A gRPC channel to one peer: message bytes in, message bytes out. Thread-safe; the client outlives
// it.
class GrpcChannel {
 public:
  GrpcChannel(Client& client, Origin origin, GrpcOptions options = {});

  // One request, one response. `method` is a path: "/runtime.v1.RuntimeService/Version".
  Result<Bytes> unary(std::string_view method, std::string_view message, const Until& until,
                      const Headers& metadata = {});
  // `deadline`: of the whole call, sent to the peer.
  std::unique_ptr<GrpcStream> open(std::string_view method, const Headers& metadata = {},
                                   Steady deadline = Steady::max());
  GrpcCall start(std::string_view method, std::shared_ptr<GrpcEvents> events,
                 const Headers& metadata = {});

 private:
  ClientRequest request(std::string_view method, const Headers& metadata, Steady deadline) const;

  Client& client_;
  const Origin origin_;
  const GrpcOptions options_;
};

}  // namespace proa::http
