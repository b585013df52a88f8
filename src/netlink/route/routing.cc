#include "netlink/route/routing.h"

#include <arpa/inet.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <utility>

#include "netlink/route/read.h"

namespace proa::netlink {
namespace routing {

// The kernel answers at once; this ends a wait for an answer that was lost.
constexpr Duration kPatience = std::chrono::seconds(10);
constexpr size_t kLongestLinkName = 15;

template <typename T>
Result<std::vector<T>> list(Socket& socket, Batch& batch, const Until& until,
                            std::optional<T> (*read)(const Message&)) {
  std::vector<T> found;
  TRY(dump_again(
      socket, batch, until, [&] { found.clear(); },
      [&](const Message& message) -> Result<void> {
        if (auto item = read(message)) found.push_back(std::move(*item));
        return {};
      }));
  return found;
}

}  // namespace routing

Result<Routing> Routing::open(Clock& clock) {
  return Routing(TRY(Socket::open(NETLINK_ROUTE, clock)), clock);
}

Until Routing::soon() const { return Until::after(*clock_, routing::kPatience); }

Result<std::vector<Link>> Routing::links() {
  Batch batch;
  batch.begin(RTM_GETLINK, 0, ifinfomsg{});
  return routing::list(socket_, batch, soon(), read_link);
}

Result<Link> Routing::link(std::string_view name) {
  const Status missing(Reason::kNotFound, "link " + std::string(name) + ": not found");
  if (name.empty() || name.size() > routing::kLongestLinkName) return missing;
  Batch batch;
  batch.begin(RTM_GETLINK, 0, ifinfomsg{});
  batch.text(IFLA_IFNAME, name);
  std::optional<Link> found;
  const auto asked = socket_.request(batch, soon(), [&](const Message& message) -> Result<void> {
    found = read_link(message);
    return {};
  });
  if (asked.is(Reason::kNotFound)) return missing;
  TRY(asked);
  if (!found) return missing;
  return std::move(*found);
}

Result<std::vector<LinkAddress>> Routing::addresses() {
  Batch batch;
  batch.begin(RTM_GETADDR, 0, ifaddrmsg{});
  return routing::list(socket_, batch, soon(), read_address);
}

Result<std::vector<Route>> Routing::routes() {
  Batch batch;
  batch.begin(RTM_GETROUTE, 0, rtmsg{});
  return routing::list(socket_, batch, soon(), read_route);
}

Result<std::vector<Neighbour>> Routing::list_neighbours(int link, int family) {
  Batch batch;
  ndmsg header{};
  header.ndm_family = static_cast<uint8_t>(family);
  header.ndm_ifindex = link;
  if (family == AF_BRIDGE) {
    // This kind of list takes the link in the header of a link.
    ifinfomsg of{};
    of.ifi_family = AF_BRIDGE;
    of.ifi_index = link;
    batch.begin(RTM_GETNEIGH, 0, of);
  } else {
    batch.begin(RTM_GETNEIGH, 0, header);
    batch.number(NDA_IFINDEX, static_cast<uint32_t>(link));
  }
  std::vector<Neighbour> found = TRY(routing::list(socket_, batch, soon(), read_neighbour));
  std::erase_if(found, [&](const Neighbour& neighbour) { return neighbour.link != link; });
  return found;
}

Result<std::vector<Neighbour>> Routing::neighbours(int link) {
  std::vector<Neighbour> found = TRY(list_neighbours(link, AF_INET));
  const std::vector<Neighbour> more = TRY(list_neighbours(link, AF_INET6));
  found.insert(found.end(), more.begin(), more.end());
  return found;
}

Result<std::vector<Neighbour>> Routing::forwarding(int link) {
  return list_neighbours(link, AF_BRIDGE);
}

Result<RouteAnswer> Routing::way_to(const IpAddress& address) {
  rtmsg header{};
  header.rtm_family = address.is_v4() ? AF_INET : AF_INET6;
  header.rtm_dst_len = address.is_v4() ? 32 : 128;
  Batch batch;
  batch.begin(RTM_GETROUTE, 0, header);
  batch.address(RTA_DST, address);
  std::optional<RouteAnswer> found;
  const auto asked = socket_.request(batch, soon(), [&](const Message& message) -> Result<void> {
    found = read_route_answer(message);
    return {};
  });
  const Status missing(Reason::kNotFound, "no route to " + address.str());
  if (!asked.ok() || !found) return missing;
  return *found;
}

Result<void> Routing::apply(Batch& batch, std::vector<Refusal>* refusals) {
  return socket_.request(batch, soon(), {}, refusals);
}

Result<Socket> listen_for_routes(Clock& clock) {
  return Socket::listen(NETLINK_ROUTE,
                        {RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE,
                         RTNLGRP_IPV6_ROUTE},
                        clock);
}

Result<NeighbourMonitor> NeighbourMonitor::open(Clock& clock) {
  NeighbourMonitor monitor(TRY(Socket::listen(NETLINK_ROUTE, {RTNLGRP_NEIGH}, clock)), clock);
  TRY(monitor.watch(0));
  return monitor;
}

Result<bool> NeighbourMonitor::watch(int link) {
  if (link == link_ && link != 0) return false;
  constexpr uint32_t kAll = 0xffffffff;
  // Filters load numbers in network order.
  std::array<sock_filter, 4> program = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NLMSG_HDRLEN + offsetof(ndmsg, ndm_ifindex)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(static_cast<uint32_t>(link)), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, kAll),
      BPF_STMT(BPF_RET | BPF_K, 0),
  }};
  TRY(socket_.set_filter(program));
  return std::exchange(link_, link) != link;
}

bool NeighbourMonitor::changed() {
  bool any = false;
  const auto received = socket_.receive(Until::after(*clock_, Duration(0)),
                                        [&](const Message& message) -> Result<void> {
                                          const auto header = message.fixed<ndmsg>();
                                          any = any || (header && header->ndm_ifindex == link_);
                                          return {};
                                        });
  return any || !received.ok();
}

}  // namespace proa::netlink
