#pragma once

#include <string>

#include "apiserver/resources/allocate/network.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// The address at which pods and other clients reach this server.
struct ServerAddress {
  std::string address;  // an IP address
  int port = 0;         // zero: the server does not listen
};

// Creates the objects that every cluster has: namespaces, priority classes, the service CIDR, and
// this server's Service, whose endpoints are updated. Idempotent: runs at every start, possibly on
// several servers at once, and writes nothing if nothing has changed.
Result<void> bootstrap(const ApiContext& context, const ServerAddress& server,
                       const ServiceNetwork& network);

}  // namespace proa::apiserver
