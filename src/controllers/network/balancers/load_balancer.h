#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "base/net/ip_address.h"
#include "base/time.h"
#include "controllers/network/service_facts.h"

// What is read of Services of type LoadBalancer, and of the nodes that forward to them.

namespace proa::controllers {

inline constexpr const char* kBalancerFinalizer = "service.kubernetes.io/load-balancer-cleanup";

// What is read of a service, once per version of it.
struct BalancerFacts {
  bool wanted = false;         // it has that type and no loadBalancerClass
  bool elsewhere = false;      // another implementation handles it
  bool being_deleted = false;  // the service
  bool has_finalizer = false;
  bool announced = false;
  std::vector<std::string> addresses = {};  // from the status; empty for a host name
  std::vector<IpFamily> families = {};
  std::string requested_ip = {};             // loadBalancerIP
  std::vector<std::string> ports = {};       // "80/TCP"
  std::vector<std::string> node_ports = {};  // the same for ports of nodes, of any type of Service
  Time created{};

  // Handled by us before, but no longer wanted.
  bool to_clean_up() const { return has_finalizer && !elsewhere && (being_deleted || !wanted); }
  bool is_served() const { return wanted && !being_deleted; }
  bool concerns_us() const { return to_clean_up() || is_served(); }
};
const BalancerFacts& balancer_facts(const api::Object& service);

// A node as a forwarder of load balancer traffic.
struct Forwarder {
  // Ready, and not excluded from load balancers.
  bool usable = false;
  std::vector<IpAddress> addresses = {};     // internal ones
  std::string kubelet_port = {};             // "10250/TCP"; empty: unknown
  std::vector<std::string> used_ports = {};  // by other programs, as far as Services want them
  bool operator==(const Forwarder&) const = default;
};
const Forwarder& forwarder_of(const api::Object& node);

// "80/TCP"
std::string port_text(int64_t port, std::string_view protocol);

IpFamily family_of(const IpAddress& address);

}  // namespace proa::controllers
