#pragma once

#include <memory>

#include "http/net/socket.h"

namespace proa::http {

// Parts with a peer so that our last bytes reach it: ends our direction, passes over what still
// comes, and closes when the peer has ended too, or after a moment. Closed at once, the kernel
// would answer bytes under way with a reset, which can overtake them. Loop thread only.
void linger(std::unique_ptr<Socket> socket);

}  // namespace proa::http
