#include "http/websocket/websocket.h"

#include "http/net/linger.h"

namespace proa::http {
namespace websocket {

constexpr Duration kGoodbye = std::chrono::seconds(5);
// With this much unsent data, reading stops: pings could fill our memory with pongs.
constexpr size_t kHighWater = 1024 * 1024;

}  // namespace websocket

WebSocket::WebSocket(std::unique_ptr<Socket> socket, WebSocketCodec::Role role, size_t max_message,
                     Random& random, Events& events)
    : socket_(std::move(socket)),
      codec_(role, max_message, random, *this),
      events_(events),
      close_timer_(socket_->loop(), [this] { finish(); }) {}

WebSocket::~WebSocket() {
  *alive_ = false;
  if (closing_) linger(std::move(socket_));
}

void WebSocket::start(std::string_view early) {
  const auto alive = alive_;
  socket_->set_events(*this);
  if (!early.empty()) on_data(early);
  if (*alive) flush();
}

void WebSocket::send(Kind kind, std::string_view message) {
  codec_.send(kind, message);
  flush();
}

void WebSocket::ping() {
  codec_.ping();
  flush();
}

void WebSocket::close(uint16_t code, std::string_view reason) {
  codec_.close(code, reason);
  close_timer_.start(websocket::kGoodbye);
  flush();
}

void WebSocket::on_data(std::string_view bytes) {
  if (finished_) return;
  const auto alive = alive_;
  const auto received = codec_.receive(bytes);
  if (!*alive || finished_) return;
  flush();
  if (!received.ok() || codec_.closed()) {
    closing_ = true;
    return finish();
  }
  hold_back();
}

void WebSocket::pause() {
  paused_ = true;
  hold_back();
}

void WebSocket::resume() {
  paused_ = false;
  hold_back();
}

void WebSocket::hold_back() {
  if (paused_ || socket_->unsent() > websocket::kHighWater) {
    socket_->pause();
  } else {
    socket_->resume();
  }
}

void WebSocket::flush() {
  if (finished_) return;
  if (std::string out = codec_.take_output(); !out.empty()) socket_->write(Bytes(std::move(out)));
  socket_->flush();
}

void WebSocket::finish() {
  if (std::exchange(finished_, true)) return;
  close_timer_.stop();
  socket_->shutdown();
  events_.on_closed(code_, reason_);
}

void WebSocket::on_message(Kind kind, std::string_view message) {
  if (!finished_ && *alive_) events_.on_message(kind, message);
}

void WebSocket::on_close(uint16_t code, std::string_view reason) {
  code_ = code == 0 ? 1005 : code;  // 1005: closed without a code
  reason_ = reason;
}

void WebSocket::on_end() { finish(); }
void WebSocket::on_closed(const Status&) { finish(); }

void WebSocket::on_drained() {
  hold_back();
  if (!finished_) events_.on_drained();
}

}  // namespace proa::http
