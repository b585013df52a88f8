#pragma once

#include <memory>
#include <string>

#include "base/bytes.h"
#include "http/net/socket.h"
#include "http/wire/websocket_codec.h"

namespace proa::http {

// A WebSocket connection, after the handshake: messages over an upgraded socket. Loop thread only.
class WebSocket final : private Socket::Events, private WebSocketCodec::Events {
 public:
  using Kind = WebSocketCodec::Kind;

  class Events {
   public:
    virtual ~Events() = default;
    virtual void on_message(Kind kind, std::string_view message) = 0;
    virtual void on_drained() {}
    // The last event: the peer's code and reason, or 1006 if it sent none.
    virtual void on_closed(uint16_t code, std::string_view reason) = 0;
  };

  // No events before start(). The owner may destroy the WebSocket inside on_closed, but not inside
  // other events.
  WebSocket(std::unique_ptr<Socket> socket, WebSocketCodec::Role role, size_t max_message,
            Random& random, Events& events);
  ~WebSocket() override;

  // `early`: data that followed the handshake.
  void start(std::string_view early);
  void send(Kind kind, std::string_view message);
  void ping();
  // Sends a close frame; on_closed follows when the peer has answered or gone.
  void close(uint16_t code, std::string_view reason);
  size_t unsent() const { return socket_ ? socket_->unsent() : 0; }
  void pause();
  void resume();

 private:
  void on_data(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_closed(const Status& why) override;
  void on_message(Kind kind, std::string_view message) override;
  void on_close(uint16_t code, std::string_view reason) override;

  void flush();
  void hold_back();
  void finish();

  std::unique_ptr<Socket> socket_;
  WebSocketCodec codec_;
  Events& events_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  uint16_t code_ = 1006;
  std::string reason_;
  Timer close_timer_;  // how long to wait for the peer's close frame
  bool finished_ = false;
  bool paused_ = false;   // by the owner
  bool closing_ = false;  // our close frame was sent, and the peer may still be sending
};

}  // namespace proa::http
