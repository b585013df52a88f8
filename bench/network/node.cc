#include "node.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "load/framing.h"
#include "tests/e2e/program.h"

namespace proa::network_bench {

bool enter_own_machine() {
  if (::unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) return false;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  if (::mount("tmpfs", "/run", "tmpfs", 0, nullptr) != 0) return false;
  shell(fmt::format("ip link set lo up && ip address add {}/32 dev lo", kServerAddress));
  return true;
}

void shell(const std::string& command) {
  const e2e::Outcome outcome = e2e::run_shell(command);
  if (outcome.code != 0) load::fail(command + ": " + outcome.text);
}

std::string Node::path(const netlink::NetworkNamespace& place) {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), place.descriptor());
}

void Node::inside(const netlink::NetworkNamespace& place, const std::string& command) {
  place
      .run([&]() -> Result<void> {
        shell(command);
        return {};
      })
      .value();
}

Node::Node(int number)
    : router(netlink::NetworkNamespace::create().value()),
      client(netlink::NetworkNamespace::create().value()),
      server(netlink::NetworkNamespace::create().value()) {
  shell(
      fmt::format("ip link add up{0} type veth peer name eth0 netns {1} && "
                  "ip address add 172.16.{0}.1/24 dev up{0} && ip link set up{0} up",
                  number, path(router)));
  inside(router, fmt::format("ip link set lo up && ip address add {3}/32 dev lo && "
                             "ip address add 172.16.{0}.2/24 dev eth0 && ip link set eth0 up && "
                             "ip route add default via 172.16.{0}.1 && "
                             "ip link add pod1 type veth peer name eth0 netns {1} && "
                             "ip link add pod2 type veth peer name eth0 netns {2} && "
                             "ip address add 10.200.0.1/24 dev pod1 && ip link set pod1 up && "
                             "ip address add 10.201.0.1/24 dev pod2 && ip link set pod2 up && "
                             "ip route add {4} via 10.201.0.2 && "
                             "echo 1 >/proc/sys/net/ipv4/ip_forward",
                             number, path(client), path(server), kNodeAddress, kEndpoints));
  inside(client,
         "ip link set lo up && ip address add 10.200.0.2/24 dev eth0 && ip link set eth0 up && "
         "ip route add default via 10.200.0.1");
  inside(server, fmt::format("ip link set lo up && ip address add 10.201.0.2/24 dev eth0 && "
                             "ip link set eth0 up && ip route add default via 10.201.0.1 && "
                             "ip route add local {} dev lo",
                             kEndpoints));
}

}  // namespace proa::network_bench
