#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/result.h"

namespace proa::http {

// WebSocket frames (RFC 6455), either side: bytes in, messages out, and back. No I/O.
class WebSocketCodec {
 public:
  enum class Role : uint8_t { kServer, kClient };
  enum class Kind : uint8_t { kText, kBinary };

  class Events {
   public:
    virtual ~Events() = default;
    // A whole message; fragments have been put together.
    virtual void on_message(Kind kind, std::string_view message) = 0;
    // The peer says goodbye; the answer to it is in the output already.
    virtual void on_close(uint16_t code, std::string_view reason) = 0;
  };

  // `random` makes clients' masks.
  WebSocketCodec(Role role, size_t max_message, Random& random, Events& events);
  ~WebSocketCodec();
  WebSocketCodec(const WebSocketCodec&) = delete;
  WebSocketCodec& operator=(const WebSocketCodec&) = delete;

  // Takes bytes off the wire. A Status: the peer broke the protocol or the limit; the close frame
  // that says so is in the output.
  Result<void> receive(std::string_view bytes);
  void send(Kind kind, std::string_view message);
  void ping();
  void close(uint16_t code, std::string_view reason);
  // What must go to the wire; empty when there is nothing.
  std::string take_output();
  // Both sides have said goodbye.
  bool closed() const;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace proa::http
