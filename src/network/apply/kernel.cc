#include "network/apply/kernel.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/files.h"
#include "netlink/route/write.h"

namespace proa::network {
namespace kernel {

using netlink::Batch;
using netlink::Link;
using netlink::LinkAddress;
using netlink::Neighbour;
using netlink::Route;

bool is_link_local(const IpAddress& address) {
  return address.bytes[0] == 0xfe && (address.bytes[1] & 0xc0) == 0x80;
}

bool fits(const Link& found, const Link& wanted) {
  return found.kind == wanted.kind && found.mac == wanted.mac && found.vxlan == wanted.vxlan;
}

Result<void> write_setting(const char* path, std::string_view value) {
  const FileDescriptor file(::open(path, O_RDWR | O_CLOEXEC));
  if (!file.valid()) return errno_status(std::string("opening ") + path, errno);
  char before[16] = "";
  const ssize_t size = ::read(file.get(), before, sizeof before);
  if (size > 0 && std::string_view(before, static_cast<size_t>(size)).starts_with(value)) return {};
  if (::pwrite(file.get(), value.data(), value.size(), 0) < 0) {
    return errno_status(std::string("writing ") + path, errno);
  }
  return {};
}

// Devices of the pod network take no routes and addresses from those who can send them packets.
void refuse_advertisements(const std::string& link) {
  for (const char* setting : {"accept_ra", "accept_redirects"}) {
    const std::string path = "/proc/sys/net/ipv6/conf/" + link + "/" + setting;
    // Absent where the kernel has no IPv6.
    static_cast<void>(write_setting(path.c_str(), "0"));
  }
}

// What is in `found` and not in `wanted` is passed to `remove`, the other way round to `put`.
template <typename T, typename Put, typename Remove>
size_t difference(const std::vector<T>& found, const std::vector<T>& wanted, const Put& put,
                  const Remove& remove) {
  size_t changes = 0;
  for (const T& one : found) {
    if (std::ranges::find(wanted, one) != wanted.end()) continue;
    remove(one);
    ++changes;
  }
  for (const T& one : wanted) {
    if (std::ranges::find(found, one) != found.end()) continue;
    put(one);
    ++changes;
  }
  return changes;
}

}  // namespace kernel

Result<Kernel> Kernel::open(const NetworkOptions& options, Clock& clock) {
  return Kernel(options, TRY(netlink::Routing::open(clock)), clock);
}

// Others than those of pods (also of other nodes on this machine, which have their own check), the
// loopback's and those that every link has.
void Kernel::note_network(MachineFacts& facts, const std::vector<netlink::Link>& links,
                          const netlink::LinkAddress& address) const {
  const auto link = std::ranges::find(links, address.link, &netlink::Link::index);
  if (link == links.end() || link->loopback || kernel::is_link_local(address.address)) return;
  if (link->name.starts_with("proa") && !link->kind.empty()) return;
  facts.networks.push_back(
      {.link = link->name,
       .prefix = {
           .address = address.address, .bits = address.bits, .v6 = !address.address.is_v4()}});
}

Result<MachineFacts> Kernel::look(const NodeFacts& own, const std::vector<NodeFacts>& nodes) {
  MachineFacts facts;
  const std::vector<netlink::Link> links = TRY(routing_.links());
  const std::vector<netlink::LinkAddress> addresses = TRY(routing_.addresses());
  for (const netlink::LinkAddress& address : addresses) {
    note_network(facts, links, address);
    if (own.addresses.empty() || address.address != own.addresses.front()) continue;
    const auto link = std::ranges::find(links, address.link, &netlink::Link::index);
    if (link != links.end() && link->mtu > 0 && !link->loopback) facts.mtu = link->mtu;
  }
  for (const NodeFacts& node : nodes) {
    if (node.name == own.name) continue;
    for (const IpAddress& address : node.addresses) {
      const auto answer = routing_.way_to(address);
      if (!answer.ok()) continue;
      facts.ways[address] = {.link = answer->link,
                             .on_link = !answer->gateway.has_value() && !answer->local,
                             .local = answer->local};
    }
  }
  return facts;
}

Result<size_t> Kernel::apply(const NetworkPlan& plan) {
  size_t changes = 0;
  std::optional<Status> failed;
  const auto note = [&](const Result<void>& result) {
    if (!result.ok() && !failed) failed = result.status();
  };
  int tunnel = 0;
  if (plan.tunnel) {
    const auto made = apply_tunnel(*plan.tunnel, changes);
    if (made.ok()) {
      tunnel = *made;
      note(apply_addresses(tunnel, *plan.tunnel, changes));
      if (!plan.tunnel->encrypted) note(apply_neighbours(tunnel, *plan.tunnel, changes));
    } else {
      failed = made.status().in((plan.tunnel->encrypted ? "WireGuard device " : "VXLAN device ") +
                                options_.tunnel);
    }
  }
  tunnel_ = tunnel;
  note(apply_routes(plan, tunnel, changes));
  if (!plan.tunnel) {
    const auto link = routing_.link(options_.tunnel);
    if (link.ok()) {
      netlink::Batch batch;
      netlink::remove_link(batch, link->index);
      note(routing_.apply(batch));
      ++changes;
    }
  }
  if (failed) return *failed;
  return changes;
}

Result<int> Kernel::apply_tunnel(const Tunnel& wanted, size_t& changes) {
  if (wanted.encrypted) return apply_encrypted(wanted, changes);
  return apply_link({.name = options_.tunnel,
                     .kind = "vxlan",
                     .mtu = wanted.mtu,
                     .up = true,
                     .mac = wanted.mac,
                     .vxlan = netlink::Vxlan{.id = options_.vxlan_id,
                                             .port = options_.vxlan_port,
                                             .local = wanted.local}},
                    changes);
}

// The device is made as any link; its peers are another subsystem's.
Result<int> Kernel::apply_encrypted(const Tunnel& wanted, size_t& changes) {
  const int index = TRY(apply_link(
      {.name = options_.tunnel, .kind = "wireguard", .mtu = wanted.mtu, .up = true}, changes));
  netlink::WireguardDevice device{.private_key = options_.encryption->private_key,
                                  .port = options_.encryption->port};
  for (const TunnelPeer& peer : wanted.peers) {
    device.peers.push_back({.key = peer.key,
                            .endpoint = peer.machine,
                            .port = options_.encryption->port,
                            .allowed = peer.ranges});
  }
  if (!wireguard_) wireguard_ = TRY(netlink::Wireguard::open(*clock_));
  changes += TRY(wireguard_->configure(options_.tunnel, device));
  return index;
}

Result<int> Kernel::apply_link(const netlink::Link& link, size_t& changes) {
  const auto found = routing_.link(options_.tunnel);
  netlink::Batch batch;
  if (found.ok() && kernel::fits(*found, link)) {
    kernel::refuse_advertisements(link.name);
    if (found->mtu != link.mtu) netlink::set_link_mtu(batch, found->index, link.mtu);
    if (!found->up) netlink::set_link_up(batch, found->index, true);
    changes += batch.count();
    TRY(routing_.apply(batch));
    return found->index;
  }
  if (!found.ok() && !found.is(Reason::kNotFound)) return found.status();
  if (found.ok()) netlink::remove_link(batch, found->index);
  netlink::Link down = link;
  down.up = false;
  netlink::add_link(batch, down);
  changes += batch.count();
  TRY(routing_.apply(batch));
  kernel::refuse_advertisements(link.name);
  const netlink::Link made = TRY(routing_.link(options_.tunnel));
  netlink::Batch start;
  netlink::set_link_up(start, made.index, true);
  TRY(routing_.apply(start));
  return made.index;
}

Result<void> Kernel::apply_addresses(int link, const Tunnel& wanted, size_t& changes) {
  std::vector<netlink::LinkAddress> found = TRY(routing_.addresses());
  std::erase_if(found, [&](const netlink::LinkAddress& one) {
    return one.link != link || kernel::is_link_local(one.address);
  });
  std::vector<netlink::LinkAddress> all;
  for (const IpAddress& address : wanted.inner) {
    all.push_back({.link = link, .address = address, .bits = address.is_v4() ? 32U : 128U});
  }
  netlink::Batch batch;
  changes += kernel::difference(
      found, all, [&](const auto& one) { netlink::put_address(batch, one); },
      [&](const auto& one) { netlink::remove_address(batch, one); });
  return routing_.apply(batch);
}

Result<void> Kernel::apply_neighbours(int link, const Tunnel& wanted, size_t& changes) {
  std::vector<netlink::Neighbour> found = TRY(routing_.neighbours(link));
  std::erase_if(found, [](const netlink::Neighbour& one) { return !one.permanent; });
  const std::vector<netlink::Neighbour> forwarding = TRY(routing_.forwarding(link));
  found.insert(found.end(), forwarding.begin(), forwarding.end());
  std::vector<netlink::Neighbour> all;
  for (const TunnelPeer& peer : wanted.peers) {
    all.push_back({.link = link, .forwarding = true, .address = peer.machine, .mac = peer.mac});
    for (const IpAddress& inner : peer.inner) {
      all.push_back({.link = link, .address = inner, .mac = peer.mac});
    }
  }
  netlink::Batch batch;
  // Groups of multicast are the kernel's own entries.
  std::erase_if(found, [](const netlink::Neighbour& one) { return (one.mac[0] & 1) != 0; });
  changes += kernel::difference(
      found, all, [&](const auto& one) { netlink::put_neighbour(batch, one); },
      [&](const auto& one) { netlink::remove_neighbour(batch, one); });
  return routing_.apply(batch);
}

bool Kernel::is_ours(const netlink::Route& route) const {
  return route.protocol == kRouteProtocol && route.metric == route_metric(options_);
}

Result<void> Kernel::apply_routes(const NetworkPlan& plan, int tunnel, size_t& changes) {
  std::vector<netlink::Route> found = TRY(routing_.routes());
  std::erase_if(found, [&](const netlink::Route& route) { return !is_ours(route); });
  std::vector<netlink::Route> wanted;
  for (const PodRoute& route : plan.routes) {
    if (route.link == 0 && tunnel == 0) continue;  // there is none: it has been said
    wanted.push_back({.destination = route.range,
                      .gateway = route.gateway,
                      .link = route.link == 0 ? tunnel : route.link,
                      .onlink = route.link == 0 && route.gateway.has_value(),
                      .protocol = kRouteProtocol,
                      .metric = route_metric(options_)});
  }
  netlink::Batch batch;
  changes += kernel::difference(
      found, wanted, [&](const auto& one) { netlink::put_route(batch, one); },
      [&](const auto& one) { netlink::remove_route(batch, one); });
  return routing_.apply(batch);
}

Result<void> Kernel::remove() {
  TRY(apply({}));
  return {};
}

Result<bool> Kernel::bridge_in_use() {
  const auto bridge = routing_.link(options_.bridge);
  if (!bridge.ok()) return false;
  const std::vector<netlink::Link> links = TRY(routing_.links());
  return std::ranges::find(links, bridge->index, &netlink::Link::master) != links.end();
}

Result<void> Kernel::remove_with_bridge() {
  TRY(remove());
  const auto bridge = routing_.link(options_.bridge);
  if (!bridge.ok() || bridge->kind != "bridge") return {};
  netlink::Batch batch;
  netlink::remove_link(batch, bridge->index);
  return routing_.apply(batch);
}

Result<void> enable_forwarding(const std::vector<IpPrefix>& ranges) {
  for (const IpPrefix& range : ranges) {
    TRY(kernel::write_setting(
        range.v6 ? "/proc/sys/net/ipv6/conf/all/forwarding" : "/proc/sys/net/ipv4/ip_forward",
        "1"));
  }
  return {};
}

}  // namespace proa::network
