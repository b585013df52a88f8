#include "lab/network/wiring.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "netlink/route/routing.h"
#include "netlink/route/write.h"

namespace proa::lab {
namespace wiring {

constexpr std::string_view kLoopback = "lo";
constexpr std::string_view kOwnEnd = "eth0";

// A setting of this thread's network namespace.
Result<void> set(const std::string& name, std::string_view value) {
  const std::string path = "/proc/sys/net/" + name;
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.valid() && write(file.get(), value.data(), value.size()) >= 0) return {};
  return errno_status("writing " + path, errno);
}

// The same where the kernel may not have it.
Result<void> set_if_there(const std::string& name, std::string_view value) {
  if (access(("/proc/sys/net/" + name).c_str(), F_OK) != 0) return {};
  return set(name, value);
}

Result<void> add_addresses(netlink::Routing& routing, const std::string& link,
                           const std::vector<IpPrefix>& addresses) {
  // Nobody else has them; without the check they are usable at once.
  TRY(set_if_there("ipv6/conf/" + link + "/accept_dad", "0"));
  const int index = TRY(routing.link(link)).index;
  netlink::Batch batch;
  for (const IpPrefix& each : addresses) {
    netlink::put_address(batch, {.link = index, .address = each.address, .bits = each.bits});
  }
  if (addresses.empty()) return {};
  return routing.apply(batch);
}

Result<void> set_up(netlink::Routing& routing, std::string_view link) {
  netlink::Batch batch;
  netlink::set_link_up(batch, TRY(routing.link(link)).index, true);
  return routing.apply(batch);
}

// Removes the port of a machine that was killed a moment ago: the kernel takes its time.
Result<void> remove_port(netlink::Routing& routing, const std::string& port) {
  const auto old = routing.link(port);
  if (old.is(Reason::kNotFound)) return {};
  if (!old.ok()) return old.status();
  netlink::Batch batch;
  netlink::remove_link(batch, old->index);
  auto removed = routing.apply(batch);
  if (removed.is(Reason::kNotFound)) return {};
  return removed;
}

// Both ends of a cable, and all of the end at the switch. REQUIRES: the switch's namespace.
Result<void> plug_in(const Cable& cable, int machine_namespace, Clock& clock) {
  netlink::Routing routing = TRY(netlink::Routing::open(clock));
  TRY(remove_port(routing, cable.port));
  netlink::Link port{.name = cable.port, .mac = cable.port_mac};
  if (cable.bridged) port.master = TRY(routing.link(kBridge)).index;
  const netlink::Link end{.name = std::string(kOwnEnd), .mac = cable.mac};
  netlink::Batch batch;
  netlink::add_veth(batch, port, end, machine_namespace);
  TRY(routing.apply(batch));
  TRY(add_addresses(routing, cable.port, cable.port_addresses));
  return set_up(routing, cable.port);
}

Result<void> add_gateways(netlink::Routing& routing, const Cable& cable) {
  const int index = TRY(routing.link(kOwnEnd)).index;
  netlink::Batch batch;
  for (const IpAddress& gateway : cable.gateways) {
    const auto anywhere = parse_prefix(gateway.is_v4() ? "0.0.0.0/0" : "::/0");
    netlink::put_route(batch, {.destination = *anywhere, .gateway = gateway, .link = index});
  }
  return routing.apply(batch);
}

}  // namespace wiring

Result<void> wire_switch(const Plan& plan, Clock& clock) {
  using namespace wiring;  // NOLINT: this unit's own
  netlink::Routing routing = TRY(netlink::Routing::open(clock));
  TRY(set_up(routing, kLoopback));
  TRY(set("ipv4/ip_forward", "1"));
  TRY(set_if_there("ipv6/conf/all/forwarding", "1"));
  // A switch does not look into packets; routed ones pass the rules of faults once.
  for (const char* family : {"iptables", "ip6tables", "arptables"}) {
    TRY(set_if_there(std::string("bridge/bridge-nf-call-") + family, "0"));
  }
  if (plan.bridge_addresses.empty()) return {};
  netlink::Batch batch;
  netlink::add_link(batch,
                    {.name = std::string(kBridge), .kind = "bridge", .mac = plan.bridge_mac});
  TRY(routing.apply(batch));
  TRY(add_addresses(routing, std::string(kBridge), plan.bridge_addresses));
  return set_up(routing, kBridge);
}

Result<void> wire_machine(const Machine& machine, const netlink::NetworkNamespace& of_switch,
                          Clock& clock) {
  using namespace wiring;  // NOLINT: this unit's own
  const auto own = TRY(netlink::NetworkNamespace::current());
  TRY(of_switch.run([&] { return plug_in(machine.cable, own.descriptor(), clock); }));
  netlink::Routing routing = TRY(netlink::Routing::open(clock));
  TRY(set_up(routing, kLoopback));
  TRY(add_addresses(routing, std::string(kOwnEnd), machine.cable.addresses));
  TRY(set_up(routing, kOwnEnd));
  return add_gateways(routing, machine.cable);
}

}  // namespace proa::lab
