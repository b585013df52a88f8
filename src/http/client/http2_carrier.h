#pragma once

#include <unordered_map>

#include "http/client/pooled_connection.h"
#include "http/wire/http2_session.h"

namespace proa::http {

// HTTP/2: many concurrent calls.
class Http2Carrier final : public PooledConnection,
                           private Socket::Events,
                           private Http2Session::Events {
 public:
  Http2Carrier(ConnectionOwner& owner, const Origin& origin, std::unique_ptr<Socket> socket,
               const ConnectionOptions& options);

  bool has_room() const override;
  bool is_idle() const override { return calls_.empty(); }
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

  void on_response(StreamId stream, ResponseHead head, bool end) override;
  void on_body(StreamId stream, std::string_view bytes) override;
  void on_body_end(StreamId stream, Headers trailers) override;
  void on_sent(StreamId stream, size_t bytes) override;
  void on_stream_closed(StreamId stream, uint32_t error_code) override;
  void on_goaway(StreamId last) override;

  // Called after every use of the session: sends frames and handles finished streams, unless a
  // caller further up the stack does it.
  void settle();
  // Hands the session's frames to the socket.
  void send_frames();
  std::shared_ptr<ClientCall> find(StreamId stream) const;
  // The peer is gone: closes; calls that it cannot have started are retried elsewhere.
  void lose(const Status& why);
  void timer_fired();

  const ConnectionOptions options_;
  Http2Session session_;
  std::unordered_map<StreamId, std::shared_ptr<ClientCall>> calls_;
  int served_ = 0;
  bool busy_ = false;     // inside the session, or in settle()
  bool retired_ = false;  // accepts no more calls
  bool was_full_ = false;
  bool idle_ = true;
  bool received_ = false;  // data arrived since the timer was started
  bool pinged_ = false;
  Timer timer_;  // idle: until it is closed; else until a ping is due
};

}  // namespace proa::http
