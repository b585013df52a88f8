#include "netlink/route/write.h"

// Before the kernel's headers, which then leave out what both define.
#include <netinet/in.h>

#include <linux/if.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <sys/socket.h>

namespace proa::netlink {
namespace route_write {

uint8_t family_of(const IpAddress& address) { return address.is_v4() ? AF_INET : AF_INET6; }

std::string_view bytes_of(const MacAddress& mac) {
  return {reinterpret_cast<const char*>(mac.data()), mac.size()};
}

ifinfomsg link_header(const Link& link) {
  ifinfomsg header{};
  header.ifi_family = AF_UNSPEC;
  if (link.up) header.ifi_flags = header.ifi_change = IFF_UP;
  return header;
}

ifinfomsg link_header(int index) {
  ifinfomsg header{};
  header.ifi_family = AF_UNSPEC;
  header.ifi_index = index;
  return header;
}

void write_link(Batch& batch, const Link& link) {
  batch.text(IFLA_IFNAME, link.name);
  if (link.mtu != 0) batch.number(IFLA_MTU, link.mtu);
  if (link.mac != MacAddress{}) batch.bytes(IFLA_ADDRESS, bytes_of(link.mac));
  if (link.master != 0) batch.number(IFLA_MASTER, static_cast<uint32_t>(link.master));
}

void write_vxlan(Batch& batch, const Vxlan& vxlan, bool v6) {
  const Batch::Nest data = batch.nest(IFLA_INFO_DATA);
  batch.number(IFLA_VXLAN_ID, vxlan.id);
  batch.network16(IFLA_VXLAN_PORT, vxlan.port);
  if (vxlan.local) batch.address(v6 ? IFLA_VXLAN_LOCAL6 : IFLA_VXLAN_LOCAL, *vxlan.local);
  if (vxlan.below != 0) batch.number(IFLA_VXLAN_LINK, static_cast<uint32_t>(vxlan.below));
  batch.number(IFLA_VXLAN_LEARNING, uint8_t{0});
  // IPv4 would go without a checksum by itself; IPv6 must be told.
  if (v6) batch.number(IFLA_VXLAN_UDP_ZERO_CSUM6_RX, uint8_t{1});
}

ndmsg neighbour_header(const Neighbour& neighbour) {
  ndmsg header{};
  header.ndm_ifindex = neighbour.link;
  header.ndm_state = neighbour.permanent ? NUD_PERMANENT : NUD_REACHABLE;
  if (neighbour.forwarding) {
    header.ndm_family = AF_BRIDGE;
    header.ndm_flags = NTF_SELF;
  } else {
    header.ndm_family = neighbour.address ? family_of(*neighbour.address) : AF_INET;
  }
  return header;
}

void write_neighbour(Batch& batch, const Neighbour& neighbour) {
  if (neighbour.address) batch.address(NDA_DST, *neighbour.address);
  batch.bytes(NDA_LLADDR, bytes_of(neighbour.mac));
}

rtmsg route_header(const Route& route) {
  rtmsg header{};
  header.rtm_family = route.destination.v6 ? AF_INET6 : AF_INET;
  header.rtm_dst_len = static_cast<unsigned char>(route.destination.bits);
  header.rtm_table = static_cast<unsigned char>(route.table < 256 ? route.table : RT_TABLE_UNSPEC);
  header.rtm_protocol = route.protocol;
  header.rtm_scope = route.gateway || route.destination.v6 ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK;
  header.rtm_type = RTN_UNICAST;
  if (route.onlink) header.rtm_flags = RTNH_F_ONLINK;
  return header;
}

void write_route(Batch& batch, const Route& route) {
  if (route.destination.bits != 0) batch.address(RTA_DST, route.destination.base());
  batch.number(RTA_OIF, static_cast<uint32_t>(route.link));
  if (route.gateway) batch.address(RTA_GATEWAY, *route.gateway);
  if (route.source) batch.address(RTA_PREFSRC, *route.source);
  if (route.table >= 256) batch.number(RTA_TABLE, route.table);
  if (route.metric != 0) batch.number(RTA_PRIORITY, route.metric);
  if (route.mtu != 0) {
    const Batch::Nest metrics = batch.nest(RTA_METRICS);
    batch.number(RTAX_MTU, route.mtu);
  }
}

ifaddrmsg address_header(const LinkAddress& address) {
  ifaddrmsg header{};
  header.ifa_family = family_of(address.address);
  header.ifa_prefixlen = static_cast<uint8_t>(address.bits);
  header.ifa_index = static_cast<uint32_t>(address.link);
  // Nobody else has an address that we give: no wait for duplicates.
  if (!address.address.is_v4()) header.ifa_flags = IFA_F_NODAD;
  return header;
}

}  // namespace route_write

void add_link(Batch& batch, const Link& link) {
  batch.begin(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, route_write::link_header(link));
  route_write::write_link(batch, link);
  const Batch::Nest info = batch.nest(IFLA_LINKINFO);
  batch.text(IFLA_INFO_KIND, link.kind);
  if (link.vxlan) {
    const bool v6 = link.vxlan->local && !link.vxlan->local->is_v4();
    route_write::write_vxlan(batch, *link.vxlan, v6);
  }
}

void add_veth(Batch& batch, const Link& link, const Link& peer, int peer_namespace) {
  batch.begin(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, route_write::link_header(link));
  route_write::write_link(batch, link);
  const Batch::Nest info = batch.nest(IFLA_LINKINFO);
  batch.text(IFLA_INFO_KIND, "veth");
  const Batch::Nest data = batch.nest(IFLA_INFO_DATA);
  const Batch::Nest other = batch.nest(VETH_INFO_PEER);
  batch.fixed(route_write::link_header(0));
  route_write::write_link(batch, peer);
  if (peer_namespace >= 0) {
    batch.number(IFLA_NET_NS_FD, static_cast<uint32_t>(peer_namespace));
  }
}

void set_link_up(Batch& batch, int index, bool up) {
  ifinfomsg header = route_write::link_header(index);
  header.ifi_change = IFF_UP;
  header.ifi_flags = up ? IFF_UP : 0;
  batch.begin(RTM_NEWLINK, 0, header);
}

void set_link_mtu(Batch& batch, int index, uint32_t mtu) {
  batch.begin(RTM_NEWLINK, 0, route_write::link_header(index));
  batch.number(IFLA_MTU, mtu);
}

void set_link_master(Batch& batch, int index, int master) {
  batch.begin(RTM_NEWLINK, 0, route_write::link_header(index));
  batch.number(IFLA_MASTER, static_cast<uint32_t>(master));
}

void set_link_hairpin(Batch& batch, int index, bool hairpin) {
  ifinfomsg header = route_write::link_header(index);
  header.ifi_family = AF_BRIDGE;
  batch.begin(RTM_SETLINK, 0, header);
  const Batch::Nest port = batch.nest(IFLA_PROTINFO);
  batch.number(IFLA_BRPORT_MODE, static_cast<uint8_t>(hairpin ? 1 : 0));
}

void move_link(Batch& batch, int index, int to_namespace) {
  batch.begin(RTM_NEWLINK, 0, route_write::link_header(index));
  batch.number(IFLA_NET_NS_FD, static_cast<uint32_t>(to_namespace));
}

void remove_link(Batch& batch, int index) {
  batch.begin(RTM_DELLINK, 0, route_write::link_header(index));
}

void put_address(Batch& batch, const LinkAddress& address) {
  batch.begin(RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE, route_write::address_header(address));
  batch.address(IFA_LOCAL, address.address);
  batch.address(IFA_ADDRESS, address.address);
}

void remove_address(Batch& batch, const LinkAddress& address) {
  batch.begin(RTM_DELADDR, 0, route_write::address_header(address));
  batch.address(IFA_LOCAL, address.address);
  batch.address(IFA_ADDRESS, address.address);
}

void put_route(Batch& batch, const Route& route) {
  batch.begin(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, route_write::route_header(route));
  route_write::write_route(batch, route);
}

void remove_route(Batch& batch, const Route& route) {
  rtmsg header = route_write::route_header(route);
  header.rtm_scope = RT_SCOPE_NOWHERE;  // any
  batch.begin(RTM_DELROUTE, 0, header);
  route_write::write_route(batch, route);
}

void put_neighbour(Batch& batch, const Neighbour& neighbour) {
  batch.begin(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, route_write::neighbour_header(neighbour));
  route_write::write_neighbour(batch, neighbour);
}

void remove_neighbour(Batch& batch, const Neighbour& neighbour) {
  batch.begin(RTM_DELNEIGH, 0, route_write::neighbour_header(neighbour));
  route_write::write_neighbour(batch, neighbour);
}

}  // namespace proa::netlink
