#include "http/wire/websocket_codec.h"

#include <wslay/wslay.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/utf8.h"

namespace proa::http {

struct WebSocketCodec::Context {
  Events& events;
  Random& random;
  wslay_event_context_ptr event = nullptr;
  std::string_view incoming;
  std::string outgoing;

  static Context& of(void* user) { return *static_cast<Context*>(user); }

  static ssize_t receive(wslay_event_context_ptr event, uint8_t* into, size_t size, int,
                         void* user) {
    auto& incoming = of(user).incoming;
    if (incoming.empty()) {
      wslay_event_set_error(event, WSLAY_ERR_WOULDBLOCK);
      return -1;
    }
    const size_t taken = std::min(size, incoming.size());
    std::memcpy(into, incoming.data(), taken);
    incoming.remove_prefix(taken);
    return static_cast<ssize_t>(taken);
  }

  static ssize_t send(wslay_event_context_ptr, const uint8_t* data, size_t size, int, void* user) {
    of(user).outgoing.append(reinterpret_cast<const char*>(data), size);
    return static_cast<ssize_t>(size);
  }

  static int make_mask(wslay_event_context_ptr, uint8_t* mask, size_t size, void* user) {
    of(user).random.fill({mask, size});
    return 0;
  }

  static void message(wslay_event_context_ptr, const wslay_event_on_msg_recv_arg* arg, void* user) {
    auto& events = of(user).events;
    const std::string_view text(reinterpret_cast<const char*>(arg->msg), arg->msg_length);
    if (arg->opcode == WSLAY_TEXT_FRAME) {
      events.on_message(Kind::kText, text);
    } else if (arg->opcode == WSLAY_BINARY_FRAME) {
      events.on_message(Kind::kBinary, text);
    } else if (arg->opcode == WSLAY_CONNECTION_CLOSE) {
      const std::string_view reason = text.size() > 2 ? text.substr(2) : std::string_view();
      events.on_close(arg->status_code, is_utf8(reason) ? reason : std::string_view());
    }
  }
};

WebSocketCodec::WebSocketCodec(Role role, size_t max_message, Random& random, Events& events)
    : context_(std::make_unique<Context>(Context{events, random})) {
  wslay_event_callbacks callbacks{};
  callbacks.recv_callback = Context::receive;
  callbacks.send_callback = Context::send;
  callbacks.genmask_callback = Context::make_mask;
  callbacks.on_msg_recv_callback = Context::message;
  const auto init =
      role == Role::kServer ? wslay_event_context_server_init : wslay_event_context_client_init;
  CHECK(init(&context_->event, &callbacks, context_.get()) == 0);
  wslay_event_config_set_max_recv_msg_length(context_->event, max_message);
}

WebSocketCodec::~WebSocketCodec() { wslay_event_context_free(context_->event); }

Result<void> WebSocketCodec::receive(std::string_view bytes) {
  context_->incoming = bytes;
  const int result = wslay_event_recv(context_->event);
  context_->incoming = {};
  if (result != 0) return Status(Reason::kBadRequest, "WebSocket: broken frame");
  // After a violation, wslay queues the close frame and stops reading.
  if (wslay_event_get_close_sent(context_->event) == 0 &&
      wslay_event_get_read_enabled(context_->event) == 0 &&
      wslay_event_get_close_received(context_->event) == 0) {
    return Status(Reason::kBadRequest, "WebSocket: protocol violated");
  }
  return {};
}

void WebSocketCodec::send(Kind kind, std::string_view message) {
  const uint8_t opcode = kind == Kind::kText ? WSLAY_TEXT_FRAME : WSLAY_BINARY_FRAME;
  const wslay_event_msg out{opcode, reinterpret_cast<const uint8_t*>(message.data()),
                            message.size()};
  wslay_event_queue_msg(context_->event,
                        &out);  // fails only after a close, when it does not matter
}

void WebSocketCodec::ping() {
  const wslay_event_msg out{WSLAY_PING, nullptr, 0};
  wslay_event_queue_msg(context_->event, &out);
}

void WebSocketCodec::close(uint16_t code, std::string_view reason) {
  reason = reason.substr(0, 123);  // the room of a control frame next to the code
  wslay_event_queue_close(context_->event, code, reinterpret_cast<const uint8_t*>(reason.data()),
                          reason.size());
}

std::string WebSocketCodec::take_output() {
  if (wslay_event_want_write(context_->event) != 0) wslay_event_send(context_->event);
  return std::exchange(context_->outgoing, {});
}

bool WebSocketCodec::closed() const {
  return wslay_event_get_close_sent(context_->event) != 0 &&
         wslay_event_get_close_received(context_->event) != 0;
}

}  // namespace proa::http
