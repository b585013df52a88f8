#pragma once

#include <optional>

#include "netlink/message.h"
#include "netlink/route/types.h"

// Messages of rtnetlink as values. Nullopt for messages of another kind, and for objects that this
// room has no words for (routes that are not unicast, neighbours without a MAC).

namespace proa::netlink {

std::optional<Link> read_link(const Message& message);
std::optional<LinkAddress> read_address(const Message& message);
std::optional<Route> read_route(const Message& message);
std::optional<Neighbour> read_neighbour(const Message& message);
std::optional<RouteAnswer> read_route_answer(const Message& message);

}  // namespace proa::netlink
