#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/net/ip_address.h"
#include "netlink/netns.h"
#include "netlink/route/routing.h"

namespace proa::testkit {

// A node in a network namespace: local pods on its bridge, remote ones behind another link. All
// serve the same ports by TCP and UDP, and each may be asked whom it reaches. The kernel removes
// everything with the object.
class PodNetwork {
 public:
  static constexpr uint16_t kPorts[] = {80, 81};

  // Numbers below `local` are local pods, those that follow are remote.
  PodNetwork(size_t local, size_t remote, Clock& clock);

  const netlink::NetworkNamespace& node() const { return *node_; }
  const netlink::NetworkNamespace& place(size_t pod) const { return *pods_.at(pod).place; }
  size_t count() const { return pods_.size(); }
  std::string address(size_t pod, bool v6 = false) const;
  // Of the node, on the bridge.
  static constexpr const char* kGateway = "10.244.1.1";

  struct Probe {
    size_t from = 0;
    size_t to = 0;
    uint8_t protocol = 6;
    uint16_t port = 0;
    bool v6 = false;
    auto operator<=>(const Probe&) const = default;
    std::string str() const;
  };
  // All that concern a local pod.
  std::vector<Probe> all_probes() const;
  // Those that arrive. `expected`: ends the wait once they have; others still get their chance.
  std::set<Probe> arriving(const std::vector<Probe>& probes, const std::set<Probe>& expected);

 private:
  struct Pod {
    std::shared_ptr<netlink::NetworkNamespace> place;
    IpAddress addresses[2];
    bool local = false;
  };
  struct Listener {
    FileDescriptor file;
    bool stream = false;
  };
  void make_node();
  void make_elsewhere();
  void make_pod(size_t number, bool local);
  void listen(size_t number);
  FileDescriptor send(const Probe& probe, uint32_t number) const;
  void drain(std::vector<bool>& arrived) const;

  Clock& clock_;
  std::unique_ptr<netlink::NetworkNamespace> node_;
  std::shared_ptr<netlink::NetworkNamespace> elsewhere_;
  std::vector<Pod> pods_;
  std::vector<Listener> listeners_;
  uint32_t round_ = 0;
};

}  // namespace proa::testkit
