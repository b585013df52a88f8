#pragma once

#include <string>

#include "apiserver/resources/allocate/network.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Where pods and other clients reach this server.
struct ServerAddress {
  std::string address;  // an IP address
  int port = 0;         // zero: the server does not listen
};

// Puts into the store what every cluster has, where it is missing: namespaces, priorities, the
// network of Services, and the Service of this server itself, which leads to where it is now. May
// be run at every start, by several servers at once; writes nothing when nothing has changed.
Result<void> bootstrap(const ApiContext& context, const ServerAddress& server,
                       const ServiceNetwork& network);

}  // namespace proa::apiserver
