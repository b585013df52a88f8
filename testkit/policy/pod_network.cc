#include "testkit/policy/pod_network.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>

#include "base/check.h"
#include "netlink/route/write.h"

namespace proa::testkit {
namespace pod_network {

using netlink::Batch;
using netlink::NetworkNamespace;
using netlink::Routing;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// For what is expected; a machine may be busy.
constexpr milliseconds kPatience{5000};
// For what is not.
constexpr milliseconds kChance{40};

struct Endpoint {
  sockaddr_storage storage{};
  socklen_t length = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Endpoint endpoint_of(const IpAddress& address, uint16_t port) {
  Endpoint endpoint;
  if (address.is_v4()) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&v4.sin_addr, address.bytes.data() + 12, 4);
    std::memcpy(&endpoint.storage, &v4, sizeof v4);
    endpoint.length = sizeof v4;
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&v6.sin6_addr, address.bytes.data(), 16);
    std::memcpy(&endpoint.storage, &v6, sizeof v6);
    endpoint.length = sizeof v6;
  }
  return endpoint;
}

FileDescriptor bound_socket(const IpAddress& address, uint16_t port, bool stream) {
  const Endpoint at = endpoint_of(address, port);
  FileDescriptor file(::socket(
      at.storage.ss_family, (stream ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  ::setsockopt(file.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  CHECK(::bind(file.get(), at.get(), at.length) == 0);
  return file;
}

std::shared_ptr<NetworkNamespace> make_namespace() {
  auto place = std::make_shared<NetworkNamespace>(NetworkNamespace::create().value());
  place
      ->run([]() -> Result<void> {
        // Links would spend their first second looking for duplicates of their addresses.
        for (const char* which : {"all", "default"}) {
          std::ofstream(fmt::format("/proc/sys/net/ipv6/conf/{}/accept_dad", which)) << "0";
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

void set_up(Routing& routing, const std::string& name, const std::vector<std::string>& addresses) {
  const int index = routing.link(name)->index;
  apply(routing, [&](Batch& batch) {
    netlink::set_link_up(batch, index, true);
    for (const std::string& text : addresses) {
      const IpPrefix prefix = parse_prefix(text).value();
      netlink::put_address(batch, {.link = index, .address = prefix.address, .bits = prefix.bits});
    }
  });
}

void add_route(Routing& routing, const char* link, const char* range, const char* gateway) {
  apply(routing, [&](Batch& batch) {
    netlink::put_route(batch, {.destination = *parse_prefix(range),
                               .gateway = *parse_ip(gateway),
                               .link = routing.link(link)->index});
  });
}

}  // namespace pod_network

std::string PodNetwork::Probe::str() const {
  return fmt::format("{} -> {} {}/{}{}", from, to, protocol == IPPROTO_TCP ? "tcp" : "udp", port,
                     v6 ? " IPv6" : "");
}

PodNetwork::PodNetwork(size_t local, size_t remote, Clock& clock) : clock_(clock) {
  make_node();
  make_elsewhere();
  for (size_t i = 0; i < local + remote; ++i) make_pod(i, i < local);
  for (size_t i = 0; i < pods_.size(); ++i) listen(i);
}

void PodNetwork::make_node() {
  namespace parts = pod_network;
  node_ = std::make_unique<netlink::NetworkNamespace>(std::move(*parts::make_namespace()));
  parts::inside(*node_, clock_, [&](netlink::Routing& routing) {
    parts::set_up(routing, "lo", {});
    for (const char* path :
         {"/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv6/conf/all/forwarding"}) {
      std::ofstream(path) << "1";
    }
    parts::apply(routing, [](netlink::Batch& batch) {
      netlink::add_link(batch, {.name = "proa0", .kind = "bridge", .up = true});
    });
    parts::set_up(routing, "proa0", {std::string(kGateway) + "/24", "fd01:0:0:1::1/64"});
  });
}

void PodNetwork::make_elsewhere() {
  namespace parts = pod_network;
  elsewhere_ = parts::make_namespace();
  parts::inside(*node_, clock_, [&](netlink::Routing& routing) {
    parts::apply(routing, [&](netlink::Batch& batch) {
      netlink::add_veth(batch, {.name = "out", .up = true}, {.name = "eth0"},
                        elsewhere_->descriptor());
    });
    parts::set_up(routing, "out", {"10.0.0.1/24", "fd00::1/64"});
  });
  parts::inside(*elsewhere_, clock_, [&](netlink::Routing& routing) {
    parts::set_up(routing, "lo", {});
    parts::set_up(routing, "eth0", {"10.0.0.2/24", "fd00::2/64"});
    parts::add_route(routing, "eth0", "0.0.0.0/0", "10.0.0.1");
    parts::add_route(routing, "eth0", "::/0", "fd00::1");
  });
  parts::inside(*node_, clock_, [&](netlink::Routing& routing) {
    parts::add_route(routing, "out", "10.244.2.0/24", "10.0.0.2");
    parts::add_route(routing, "out", "fd01:0:0:2::/64", "fd00::2");
  });
}

void PodNetwork::make_pod(size_t number, bool local) {
  namespace parts = pod_network;
  const int net = local ? 1 : 2;
  const std::string v4 = fmt::format("10.244.{}.{}", net, 10 + number);
  const std::string v6 = fmt::format("fd01:0:0:{}::{:x}", net, 10 + number);
  Pod pod{.place = local ? parts::make_namespace() : elsewhere_, .local = local};
  pod.addresses[0] = *parse_ip(v4);
  pod.addresses[1] = *parse_ip(v6);
  if (local) {
    parts::inside(*node_, clock_, [&](netlink::Routing& routing) {
      const int master = routing.link("proa0")->index;
      parts::apply(routing, [&](netlink::Batch& batch) {
        netlink::add_veth(batch,
                          {.name = fmt::format("pod{}", number), .up = true, .master = master},
                          {.name = "eth0"}, pod.place->descriptor());
      });
    });
    parts::inside(*pod.place, clock_, [&](netlink::Routing& routing) {
      parts::set_up(routing, "lo", {});
      parts::set_up(routing, "eth0", {v4 + "/24", v6 + "/64"});
      parts::add_route(routing, "eth0", "0.0.0.0/0", kGateway);
      parts::add_route(routing, "eth0", "::/0", "fd01:0:0:1::1");
    });
  } else {
    parts::inside(*elsewhere_, clock_, [&](netlink::Routing& routing) {
      parts::set_up(routing, "lo", {v4 + "/32", v6 + "/128"});
    });
  }
  pods_.push_back(std::move(pod));
}

void PodNetwork::listen(size_t number) {
  const Pod& pod = pods_[number];
  pod.place
      ->run([&]() -> Result<void> {
        for (const IpAddress& address : pod.addresses) {
          for (const uint16_t port : kPorts) {
            for (const bool stream : {true, false}) {
              FileDescriptor file = pod_network::bound_socket(address, port, stream);
              if (stream) CHECK(::listen(file.get(), 128) == 0);
              listeners_.push_back({std::move(file), stream});
            }
          }
        }
        return {};
      })
      .value();
}

std::string PodNetwork::address(size_t pod, bool v6) const {
  return pods_.at(pod).addresses[v6 ? 1 : 0].str();
}

std::vector<PodNetwork::Probe> PodNetwork::all_probes() const {
  std::vector<Probe> probes;
  for (size_t from = 0; from < pods_.size(); ++from) {
    for (size_t to = 0; to < pods_.size(); ++to) {
      if (from == to || (!pods_[from].local && !pods_[to].local)) continue;
      for (const uint16_t port : kPorts) {
        for (const uint8_t protocol : {IPPROTO_TCP, IPPROTO_UDP}) {
          for (const bool v6 : {false, true}) probes.push_back({from, to, protocol, port, v6});
        }
      }
    }
  }
  return probes;
}

// REQUIRES: in the namespace of the sender.
FileDescriptor PodNetwork::send(const Probe& probe, uint32_t number) const {
  namespace parts = pod_network;
  const bool stream = probe.protocol == IPPROTO_TCP;
  FileDescriptor file =
      parts::bound_socket(pods_[probe.from].addresses[probe.v6 ? 1 : 0], 0, stream);
  const parts::Endpoint to =
      parts::endpoint_of(pods_[probe.to].addresses[probe.v6 ? 1 : 0], probe.port);
  if (stream) {
    static_cast<void>(::connect(file.get(), to.get(), to.length));
  } else {
    const uint32_t payload[] = {round_, number};
    static_cast<void>(::sendto(file.get(), payload, sizeof payload, 0, to.get(), to.length));
  }
  return file;
}

// Datagrams say which probe they are; connections are taken and closed.
void PodNetwork::drain(std::vector<bool>& arrived) const {
  for (const Listener& listener : listeners_) {
    if (listener.stream) {
      while (
          FileDescriptor(::accept4(listener.file.get(), nullptr, nullptr, SOCK_CLOEXEC)).valid()) {
      }
      continue;
    }
    uint32_t payload[2] = {};
    while (::recv(listener.file.get(), payload, sizeof payload, 0) == sizeof payload) {
      if (payload[0] == round_) arrived.at(payload[1]) = true;
    }
  }
}

namespace pod_network {

// TCP tells its sender.
void note_connected(const std::vector<PodNetwork::Probe>& probes,
                    const std::vector<FileDescriptor>& senders, std::vector<bool>& arrived) {
  for (size_t i = 0; i < probes.size(); ++i) {
    if (probes[i].protocol != IPPROTO_TCP || arrived[i]) continue;
    pollfd file{senders[i].get(), POLLOUT, 0};
    if (::poll(&file, 1, 0) == 1 && (file.revents & (POLLERR | POLLHUP)) == 0) arrived[i] = true;
  }
}

}  // namespace pod_network

std::set<PodNetwork::Probe> PodNetwork::arriving(const std::vector<Probe>& probes,
                                                 const std::set<Probe>& expected) {
  namespace parts = pod_network;
  ++round_;
  std::vector<FileDescriptor> senders(probes.size());
  std::vector<bool> arrived(probes.size());
  for (size_t pod = 0; pod < pods_.size(); ++pod) {
    pods_[pod]
        .place
        ->run([&]() -> Result<void> {
          for (size_t i = 0; i < probes.size(); ++i) {
            if (probes[i].from == pod) senders[i] = send(probes[i], static_cast<uint32_t>(i));
          }
          return {};
        })
        .value();
  }
  std::set<Probe> found;
  const auto begin = parts::steady_clock::now();
  auto complete = parts::steady_clock::time_point::max();
  while (true) {
    drain(arrived);
    parts::note_connected(probes, senders, arrived);
    for (size_t i = 0; i < probes.size(); ++i) {
      if (arrived[i]) found.insert(probes[i]);
    }
    const auto now = parts::steady_clock::now();
    const bool all = std::ranges::includes(found, expected);
    if (all && complete == parts::steady_clock::time_point::max()) complete = now;
    if (now - begin > parts::kPatience || (all && now - complete > parts::kChance)) return found;
    pollfd any{listeners_.front().file.get(), 0, 0};
    ::poll(&any, 1, 2);
  }
}

}  // namespace proa::testkit
