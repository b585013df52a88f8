#include "testkit/network/machines.h"

#include <fmt/format.h>

#include <fstream>

#include "base/check.h"
#include "netlink/route/write.h"

namespace proa::testkit {
namespace machines {

using netlink::Batch;
using netlink::NetworkNamespace;
using netlink::Routing;

// Links of new namespaces would spend their first second looking for duplicates of their addresses,
// and drop packets meanwhile.
std::unique_ptr<NetworkNamespace> make_namespace() {
  auto place = std::make_unique<NetworkNamespace>(NetworkNamespace::create().value());
  place
      ->run([]() -> Result<void> {
        for (const char* path : {"/proc/sys/net/ipv6/conf/all/accept_dad",
                                 "/proc/sys/net/ipv6/conf/default/accept_dad"}) {
          std::ofstream(path) << "0";
        }
        return {};
      })
      .value();
  return place;
}

void inside(const NetworkNamespace& place, Clock& clock,
            const std::function<void(Routing&)>& body) {
  place
      .run([&]() -> Result<void> {
        Routing routing = Routing::open(clock).value();
        body(routing);
        return {};
      })
      .value();
}

void apply(Routing& routing, const std::function<void(Batch&)>& write) {
  Batch batch;
  write(batch);
  routing.apply(batch).value();
}

void set_up(Routing& routing, const char* name, const std::vector<std::string>& addresses) {
  const int index = routing.link(name)->index;
  apply(routing, [&](Batch& batch) {
    netlink::set_link_up(batch, index, true);
    for (const std::string& text : addresses) {
      const IpPrefix prefix = parse_prefix(text).value();
      netlink::put_address(batch, {.link = index, .address = prefix.address, .bits = prefix.bits});
    }
  });
}

void add_default_route(Routing& routing, const char* link, const std::string& gateway) {
  const IpAddress address = parse_ip(gateway).value();
  apply(routing, [&](Batch& batch) {
    netlink::put_route(batch, {.destination = *parse_prefix(address.is_v4() ? "0.0.0.0/0" : "::/0"),
                               .gateway = address,
                               .link = routing.link(link)->index});
  });
}

void forward() {
  for (const char* path :
       {"/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv6/conf/all/forwarding"}) {
    std::ofstream(path) << "1";
  }
}

}  // namespace machines

Machines::Machines(size_t count, bool routed, Clock& clock) : clock_(clock) {
  make_middle(routed);
  for (size_t i = 1; i <= count; ++i) make_machine(i, routed);
}

void Machines::make_middle(bool routed) {
  middle_ = machines::make_namespace();
  machines::inside(*middle_, clock_, [&](netlink::Routing& routing) {
    machines::set_up(routing, "lo", {std::string(kOutside) + "/32", "2001:db8::1/128"});
    machines::forward();
    if (routed) return;
    machines::apply(routing, [](netlink::Batch& batch) {
      netlink::add_link(batch, {.name = "switch", .kind = "bridge", .up = true});
    });
    machines::set_up(routing, "switch", {"10.0.0.254/24", "fd00::fe/64"});
  });
}

void Machines::make_machine(size_t number, bool routed) {
  Machine machine;
  machine.place = machines::make_namespace();
  machine.address = routed ? fmt::format("10.0.{}.2", number) : fmt::format("10.0.0.{}", number);
  machine.address6 = routed ? fmt::format("fd00:{}::2", number) : fmt::format("fd00::{}", number);
  const std::string port = fmt::format("m{}", number);
  machines::inside(*middle_, clock_, [&](netlink::Routing& routing) {
    const int master = routed ? 0 : routing.link("switch")->index;
    machines::apply(routing, [&](netlink::Batch& batch) {
      netlink::add_veth(batch, {.name = port, .up = true, .master = master}, {.name = "eth0"},
                        machine.place->descriptor());
    });
    if (!routed) return;
    machines::set_up(routing, port.c_str(),
                     {fmt::format("10.0.{}.1/24", number), fmt::format("fd00:{}::1/64", number)});
  });
  machines::inside(*machine.place, clock_, [&](netlink::Routing& routing) {
    machines::set_up(routing, "lo", {});
    machines::set_up(routing, "eth0", {machine.address + "/24", machine.address6 + "/64"});
    machines::add_default_route(
        routing, "eth0", routed ? fmt::format("10.0.{}.1", number) : std::string("10.0.0.254"));
    machines::add_default_route(
        routing, "eth0", routed ? fmt::format("fd00:{}::1", number) : std::string("fd00::fe"));
  });
  make_pod(machine, number);
  machines_.push_back(std::move(machine));
}

void Machines::make_pod(Machine& machine, size_t number) {
  machine.pod = machines::make_namespace();
  machine.pod_address = fmt::format("10.244.{}.2", number);
  machine.pod_address6 = fmt::format("fd01:0:0:{}::2", number);
  const std::string gateway = fmt::format("10.244.{}.1", number);
  const std::string gateway6 = fmt::format("fd01:0:0:{}::1", number);
  machines::inside(*machine.place, clock_, [&](netlink::Routing& routing) {
    machines::forward();
    machines::apply(routing, [](netlink::Batch& batch) {
      netlink::add_link(batch, {.name = "proa0", .kind = "bridge", .up = true});
    });
    machines::set_up(routing, "proa0", {gateway + "/24", gateway6 + "/64"});
    const int master = routing.link("proa0")->index;
    machines::apply(routing, [&](netlink::Batch& batch) {
      netlink::add_veth(batch, {.name = "pod", .up = true, .master = master}, {.name = "eth0"},
                        machine.pod->descriptor());
    });
  });
  machines::inside(*machine.pod, clock_, [&](netlink::Routing& routing) {
    machines::set_up(routing, "lo", {});
    machines::set_up(routing, "eth0", {machine.pod_address + "/24", machine.pod_address6 + "/64"});
    machines::add_default_route(routing, "eth0", gateway);
    machines::add_default_route(routing, "eth0", gateway6);
  });
}

}  // namespace proa::testkit
