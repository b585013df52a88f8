#pragma once

#include <set>
#include <span>
#include <string>

#include "api/object/object.h"
#include "base/net/ip_address.h"
#include "netlink/sockets/listeners.h"

// Which ports of this node Services of type LoadBalancer cannot have, because programs have them.

namespace proa::network {

// The ports that a Service wants of the nodes' own addresses: "80/TCP". None where its addresses
// are of a pool, or of others.
std::set<std::string> wanted_ports(const api::Object& service);

// Those of them at which a program listens, on one of these addresses.
std::set<std::string> used_ports(const std::set<std::string>& wanted,
                                 std::span<const netlink::Listener> listeners,
                                 std::span<const IpAddress> addresses);

}  // namespace proa::network
