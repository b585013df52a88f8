#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "apiserver/streaming/streams/translator.h"
#include "base/random.h"
#include "http/client/upgrade.h"

namespace proa::apiserver {

// A client's WebSocket, after the handshake, and what came behind it.
struct ClientSide {
  std::unique_ptr<http::Socket> socket;
  std::string_view early;
};

// Ties it to a kubelet's connection, each side held back by how fast the other takes it, until one
// is gone or all is said. Calls `over` then, on the loop. REQUIRES: on the loop of both. Returns
// what ends it before, to be called on the loop.
std::function<void()> tie_translated(ClientSide client, http::Upgraded node,
                                     std::unique_ptr<StreamTranslator> translator, Random& random,
                                     std::function<void()> over);

}  // namespace proa::apiserver
