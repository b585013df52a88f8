#pragma once

#include <optional>

#include "http/client/pooled_connection.h"
#include "http/wire/http1_parser.h"

namespace proa::http {

// HTTP/1.1: one call at a time, kept alive between calls.
class Http1Carrier final : public PooledConnection,
                           private Socket::Events,
                           private Http1Parser::Events {
 public:
  Http1Carrier(ConnectionOwner& owner, const Origin& origin, std::unique_ptr<Socket> socket,
               const ConnectionOptions& options);

  bool has_room() const override { return socket_ != nullptr && call_ == nullptr && !retired_; }
  bool is_idle() const override { return call_ == nullptr; }
  void start(std::shared_ptr<ClientCall> call) override;
  void retire() override;
  void close(const Status& why) override;

  void send(ClientCall& call, Bytes bytes) override;
  void finish(ClientCall& call, Headers trailers) override;
  void consume(ClientCall& call, size_t bytes) override;
  void abandon(ClientCall& call) override;

 private:
  void on_data(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_closed(const Status& why) override;

  void on_response(ResponseHead head) override;
  void on_body(std::string_view bytes) override;
  void on_message_end(Headers trailers) override;

  void parse();
  void answer_over();
  void tell_sent();
  void write_part(Bytes bytes);
  // No part of a response arrived: the peer may have closed this kept connection before.
  bool may_start_over() const;
  void lose(const Status& why);

  const ConnectionOptions options_;
  Http1Parser parser_;
  std::shared_ptr<ClientCall> call_;
  std::string input_;  // not yet parsed
  Headers trailers_;
  // The rest of a streamed body. Nullopt: it is sent in chunks.
  std::optional<uint64_t> declared_size_;
  size_t unread_ = 0;      // body bytes that the call has not consumed
  size_t unreported_ = 0;  // body bytes written, but not reported by on_sent
  int served_ = 0;
  bool answer_begun_ = false;
  bool informational_ = false;  // the head read last was a 1xx
  int informational_count_ = 0;
  bool retired_ = false;
  Timer idle_timer_;
};

}  // namespace proa::http
