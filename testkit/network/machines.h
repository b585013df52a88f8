#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "netlink/netns.h"
#include "netlink/route/routing.h"

namespace proa::testkit {

// Machines in network namespaces, each with a pod behind its bridge. Machine i (from 1) has the
// addresses 10.0.0.i and fd00::i on one switch; or, `routed`, 10.0.i.2 and fd00:i::2 on a link of
// its own to a router. Its pods have 10.244.i.0/24 and fd01:0:0:i::/64; the one that is made has
// the second address of each. The kernel removes everything with the object.
class Machines {
 public:
  struct Machine {
    std::unique_ptr<netlink::NetworkNamespace> place;
    std::unique_ptr<netlink::NetworkNamespace> pod;
    std::string address;
    std::string address6;
    std::string pod_address;
    std::string pod_address6;
  };
  Machines(size_t count, bool routed, Clock& clock);

  const Machine& at(size_t index) const { return machines_.at(index - 1); }
  size_t count() const { return machines_.size(); }
  // The switch or router.
  const netlink::NetworkNamespace& middle() const { return *middle_; }
  // A machine in the middle of the packets' way to the outside, which is at 192.0.2.1 and
  // 2001:db8::1.
  static constexpr const char* kOutside = "192.0.2.1";

 private:
  void make_middle(bool routed);
  void make_machine(size_t number, bool routed);
  void make_pod(Machine& machine, size_t number);

  Clock& clock_;
  std::unique_ptr<netlink::NetworkNamespace> middle_;
  std::vector<Machine> machines_;
};

}  // namespace proa::testkit
