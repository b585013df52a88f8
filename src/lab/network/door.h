#pragma once

#include <string>

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

// Where a door leads, as seen from this thread's network namespace.
struct DoorTarget {
  IpAddress address = {};
  int port = 0;
  std::string link = {};  // without this one nobody is there, and it need not be tried; empty: none
};

// Passes connections on. Returns on failure only.
void serve_door(const Door& door, const DoorTarget& target);

}  // namespace proa::lab
