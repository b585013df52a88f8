#pragma once

#include "base/files.h"
#include "base/net/ip_address.h"
#include "base/result.h"

namespace proa::lab {

// The way from the host to the API server of a lab: a socket that listens in the host's network
// namespace, held by a process in the lab's, which connects to the server. So the host needs no
// link, address, route or rule.
struct Door {
  FileDescriptor listener = {};
  int port = 0;
};

// On a loopback address of this thread's network namespace. `port`: zero for a free one.
Result<Door> open_door(int port);

// Passes connections on to that address and port, as seen from this thread's network namespace.
// Returns on failure only.
void serve_door(const Door& door, const IpAddress& address, int port);

}  // namespace proa::lab
