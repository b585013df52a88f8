#pragma once

#include <string>
#include <vector>

#include "apiserver/access/authn/chain.h"
#include "apiserver/bootstrap/keeper.h"
#include "apiserver/bootstrap/server_leases.h"
#include "apiserver/resources/allocate/network.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// The address at which pods and other clients reach this server.
struct ServerAddress {
  std::string address;  // an IP address
  int port = 0;         // zero: the server does not listen
};

struct BootstrapOptions {
  ServerAddress server;
  ServiceNetwork network;
  AuthenticationOptions authentication = {};  // published for aggregated API servers
  ServerLeases* leases = nullptr;             // of all servers of the store; null: there is one
};

// Creates the objects that every cluster has: namespaces, priority classes, flow control, the
// service CIDR, APIServices, and the servers' Service, whose endpoints are updated. Idempotent:
// runs at every start, possibly on several servers at once, and writes nothing if nothing has
// changed.
Result<void> bootstrap(const ApiContext& context, const BootstrapOptions& options);

// Those of them that come back while the server runs, and the default roles and bindings. The
// context outlives them.
std::vector<Kept> kept_objects(const ApiContext& context, const BootstrapOptions& options);

}  // namespace proa::apiserver
