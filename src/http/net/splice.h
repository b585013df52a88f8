#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "http/net/socket.h"

namespace proa::http {

// Ties two sockets together: what comes from one goes to the other, each held back by how fast the
// other takes it, until one is gone or both have ended. Calls `done` then, on the loop. REQUIRES:
// both are of the same loop. `from_a` and `from_b` are bytes that came already. Returns what ends
// it before, to be called on the loop.
std::function<void()> splice(std::unique_ptr<Socket> a, std::string_view from_a,
                             std::unique_ptr<Socket> b, std::string_view from_b,
                             std::function<void()> done);

}  // namespace proa::http
