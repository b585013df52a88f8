#pragma once

#include <memory>

#include "http/net/socket.h"

namespace proa::http {

// Closes a connection so that our last bytes arrive: ends our direction, discards incoming data,
// and closes when the peer has ended, too, or after a moment. If closed at once, the kernel would
// answer incoming data with a reset, which can overtake our bytes. Loop thread only.
void linger(std::unique_ptr<Socket> socket);

}  // namespace proa::http
