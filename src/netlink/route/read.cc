#include "netlink/route/read.h"

// Before the kernel's headers, which then leave out what both define.
#include <netinet/in.h>

#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>

namespace proa::netlink {
namespace route_read {

MacAddress mac_of(const Attribute& attribute) {
  return attribute.as<MacAddress>().value_or(MacAddress{});
}

int index_of(const Attribute& attribute) {
  return static_cast<int>(attribute.as<uint32_t>().value_or(0));
}

std::optional<Vxlan> vxlan_of(const Attributes& data) {
  Vxlan vxlan;
  vxlan.id = data.find(IFLA_VXLAN_ID).as<uint32_t>().value_or(0);
  vxlan.port = static_cast<uint16_t>(data.find(IFLA_VXLAN_PORT).network_number().value_or(0));
  vxlan.local = data.find(IFLA_VXLAN_LOCAL).address();
  if (!vxlan.local) vxlan.local = data.find(IFLA_VXLAN_LOCAL6).address();
  vxlan.below = index_of(data.find(IFLA_VXLAN_LINK));
  return vxlan;
}

bool is(const Message& message, uint16_t made, uint16_t removed) {
  return message.header.nlmsg_type == made || message.header.nlmsg_type == removed;
}

IpAddress any_address(bool v6) {
  IpAddress address;
  if (!v6) address.bytes[10] = address.bytes[11] = 0xff;
  return address;
}

}  // namespace route_read

std::optional<Link> read_link(const Message& message) {
  const auto header = message.fixed<ifinfomsg>();
  if (!header || !route_read::is(message, RTM_NEWLINK, RTM_DELLINK)) return std::nullopt;
  // Ports of a bridge are announced once more in its own family.
  if (header->ifi_family != AF_UNSPEC) return std::nullopt;
  const Attributes attributes = message.attributes<ifinfomsg>();
  Link link;
  link.index = header->ifi_index;
  link.up = (header->ifi_flags & IFF_UP) != 0;
  link.loopback = (header->ifi_flags & IFF_LOOPBACK) != 0;
  link.name = attributes.find(IFLA_IFNAME).text();
  link.mtu = attributes.find(IFLA_MTU).as<uint32_t>().value_or(0);
  link.mac = route_read::mac_of(attributes.find(IFLA_ADDRESS));
  link.master = route_read::index_of(attributes.find(IFLA_MASTER));
  const Attributes info = attributes.find(IFLA_LINKINFO).nested();
  link.kind = info.find(IFLA_INFO_KIND).text();
  if (link.kind == "vxlan") link.vxlan = route_read::vxlan_of(info.find(IFLA_INFO_DATA).nested());
  return link;
}

std::optional<LinkAddress> read_address(const Message& message) {
  const auto header = message.fixed<ifaddrmsg>();
  if (!header || !route_read::is(message, RTM_NEWADDR, RTM_DELADDR)) return std::nullopt;
  const Attributes attributes = message.attributes<ifaddrmsg>();
  // On a point-to-point link IFA_ADDRESS is the other end; IPv6 has no IFA_LOCAL otherwise.
  auto address = attributes.find(IFA_LOCAL).address();
  if (!address) address = attributes.find(IFA_ADDRESS).address();
  if (!address) return std::nullopt;
  LinkAddress found;
  found.link = static_cast<int>(header->ifa_index);
  found.address = *address;
  found.bits = header->ifa_prefixlen;
  found.tentative = (header->ifa_flags & IFA_F_TENTATIVE) != 0;
  return found;
}

std::optional<Route> read_route(const Message& message) {
  const auto header = message.fixed<rtmsg>();
  if (!header || !route_read::is(message, RTM_NEWROUTE, RTM_DELROUTE)) return std::nullopt;
  const bool v6 = header->rtm_family == AF_INET6;
  if (header->rtm_type != RTN_UNICAST || (!v6 && header->rtm_family != AF_INET)) {
    return std::nullopt;
  }
  const Attributes attributes = message.attributes<rtmsg>();
  Route route;
  route.destination.v6 = v6;
  route.destination.bits = std::min<unsigned>(header->rtm_dst_len, v6 ? 128 : 32);
  route.destination.address =
      attributes.find(RTA_DST).address().value_or(route_read::any_address(v6));
  route.gateway = attributes.find(RTA_GATEWAY).address();
  route.link = route_read::index_of(attributes.find(RTA_OIF));
  route.source = attributes.find(RTA_PREFSRC).address();
  route.onlink = (header->rtm_flags & RTNH_F_ONLINK) != 0;
  route.table = attributes.find(RTA_TABLE).as<uint32_t>().value_or(header->rtm_table);
  route.protocol = header->rtm_protocol;
  route.metric = attributes.find(RTA_PRIORITY).as<uint32_t>().value_or(0);
  route.mtu = attributes.find(RTA_METRICS).nested().find(RTAX_MTU).as<uint32_t>().value_or(0);
  return route;
}

std::optional<Neighbour> read_neighbour(const Message& message) {
  const auto header = message.fixed<ndmsg>();
  if (!header || !route_read::is(message, RTM_NEWNEIGH, RTM_DELNEIGH)) return std::nullopt;
  const Attributes attributes = message.attributes<ndmsg>();
  const auto mac = attributes.find(NDA_LLADDR).as<MacAddress>();
  if (!mac) return std::nullopt;
  Neighbour neighbour;
  neighbour.link = header->ndm_ifindex;
  neighbour.forwarding = header->ndm_family == AF_BRIDGE;
  neighbour.address = attributes.find(NDA_DST).address();
  neighbour.mac = *mac;
  neighbour.permanent = (header->ndm_state & NUD_PERMANENT) != 0;
  return neighbour;
}

std::optional<RouteAnswer> read_route_answer(const Message& message) {
  const auto header = message.fixed<rtmsg>();
  if (!header || message.header.nlmsg_type != RTM_NEWROUTE) return std::nullopt;
  const Attributes attributes = message.attributes<rtmsg>();
  RouteAnswer answer;
  answer.local = header->rtm_type == RTN_LOCAL;
  answer.link = route_read::index_of(attributes.find(RTA_OIF));
  answer.gateway = attributes.find(RTA_GATEWAY).address();
  answer.source = attributes.find(RTA_PREFSRC).address();
  answer.mtu = attributes.find(RTA_METRICS).nested().find(RTAX_MTU).as<uint32_t>().value_or(0);
  return answer;
}

}  // namespace proa::netlink
