#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/result.h"

namespace proa::http {

// WebSocket framing (RFC 6455), client or server: bytes in, messages out, and back. No I/O.
class WebSocketCodec {
 public:
  enum class Role : uint8_t { kServer, kClient };
  enum class Kind : uint8_t { kText, kBinary };

  class Events {
   public:
    virtual ~Events() = default;
    // A whole message, assembled from its fragments.
    virtual void on_message(Kind kind, std::string_view message) = 0;
    // The peer sent a close frame; our answer is already in the output.
    virtual void on_close(uint16_t code, std::string_view reason) = 0;
  };

  // `random`: for the masks of clients.
  WebSocketCodec(Role role, size_t max_message, Random& random, Events& events);
  ~WebSocketCodec();
  WebSocketCodec(const WebSocketCodec&) = delete;
  WebSocketCodec& operator=(const WebSocketCodec&) = delete;

  // Processes received bytes. A Status: the peer violated the protocol or the limit; a close frame
  // is in the output.
  Result<void> receive(std::string_view bytes);
  void send(Kind kind, std::string_view message);
  void ping();
  void close(uint16_t code, std::string_view reason);
  // Bytes to send; may be empty.
  std::string take_output();
  // Both sides have sent a close frame.
  bool closed() const;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace proa::http
