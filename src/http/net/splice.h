#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "http/net/socket.h"

namespace proa::http {

// Connects two sockets: copies bytes both ways, with flow control, until one is closed or both have
// ended. Then calls `done`, on the loop. REQUIRES: both belong to the same loop. `from_a` and
// `from_b` are bytes already received. Returns a function that ends it early, to be called on the
// loop.
std::function<void()> splice(std::unique_ptr<Socket> a, std::string_view from_a,
                             std::unique_ptr<Socket> b, std::string_view from_b,
                             std::function<void()> done);

}  // namespace proa::http
