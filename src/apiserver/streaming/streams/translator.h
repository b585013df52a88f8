#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proa::apiserver {

// Stands between a client's WebSocket and a kubelet's SPDY: messages on one side, bytes on the
// other. Pure: what has to go out is taken from it after each call.
class StreamTranslator {
 public:
  virtual ~StreamTranslator() = default;
  // The connection is there, on both sides.
  virtual void begin() = 0;
  virtual Result<void> from_client(std::string_view message) = 0;
  virtual Result<void> from_node(std::string_view bytes) = 0;
  // Nothing more comes from the node.
  virtual void node_ended() = 0;

  virtual std::string take_for_node() = 0;
  virtual std::vector<std::string> take_for_client() = 0;
  // All is said; the client gets what is left, and then the end.
  virtual bool is_over() const = 0;
};

}  // namespace proa::apiserver
