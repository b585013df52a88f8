#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "apiserver/streaming/streams/translator.h"
#include "base/random.h"
#include "http/client/upgrade.h"

namespace proa::apiserver {

// A client's WebSocket after the handshake, and the bytes received after it.
struct ClientSide {
  std::unique_ptr<http::Socket> socket;
  std::string_view early;
};

// Connects it to a kubelet's connection with backpressure in both directions, until one side
// disconnects or the translator is done. Calls `over` then, on the loop. REQUIRES: on the loop of
// both. Returns a function that ends it early, to be called on the loop.
std::function<void()> splice_translated(ClientSide client, http::Upgraded node,
                                        std::unique_ptr<StreamTranslator> translator,
                                        Random& random, std::function<void()> over);

}  // namespace proa::apiserver
