#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proa::apiserver {

// Translates between a client's WebSocket messages and a kubelet's SPDY bytes. No I/O: the caller
// sends the pending output after each call.
class StreamTranslator {
 public:
  virtual ~StreamTranslator() = default;
  // Both sides are connected.
  virtual void begin() = 0;
  virtual Result<void> from_client(std::string_view message) = 0;
  virtual Result<void> from_node(std::string_view bytes) = 0;
  // The node has closed its side.
  virtual void node_ended() = 0;

  virtual std::string take_for_node() = 0;
  virtual std::vector<std::string> take_for_client() = 0;
  // Done: the client is sent the remaining output, then a close.
  virtual bool is_over() const = 0;
};

}  // namespace proa::apiserver
