#include "network/apply/relevance.h"

#include <linux/rtnetlink.h>

#include "netlink/route/read.h"

namespace proa::network {
namespace relevance {

// Link-local addresses and multicast groups come with every link.
bool is_of_link(const IpAddress& address) {
  return (address.bytes[0] == 0xfe && (address.bytes[1] & 0xc0) == 0x80) ||
         address.bytes[0] == 0xff;
}

}  // namespace relevance

bool Relevance::concerns(const netlink::Message& message) const {
  if (const auto link = netlink::read_link(message)) {
    return link->kind != "veth" && link->name != options_.bridge;
  }
  if (const auto address = netlink::read_address(message)) {
    return !relevance::is_of_link(address->address);
  }
  if (const auto route = netlink::read_route(message)) {
    if (route->table == RT_TABLE_LOCAL) return false;
    return !relevance::is_of_link(route->destination.address);
  }
  return false;
}

bool Relevance::concerns_addresses(const netlink::Message& message) {
  if (const auto address = netlink::read_address(message)) {
    return !relevance::is_of_link(address->address);
  }
  const auto route = netlink::read_route(message);
  return route && route->destination.bits == 0;
}

}  // namespace proa::network
