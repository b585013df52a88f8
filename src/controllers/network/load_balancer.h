#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "controllers/network/service_facts.h"

// What is decided about services of type LoadBalancer. Every node forwards to them, so that the
// addresses of the nodes are those of the load balancer.

namespace proa::controllers {

inline constexpr const char* kBalancerFinalizer = "service.kubernetes.io/load-balancer-cleanup";

// What a service says about its load balancer, read once for each state of it.
struct BalancerFacts {
  bool wanted = false;         // it is of that type, and names no other implementation
  bool elsewhere = false;      // another implementation does it
  bool being_deleted = false;  // the service
  bool has_finalizer = false;
  std::vector<std::string> addresses = {};  // as the status says; empty text for a host name
  std::vector<IpFamily> families = {};

  // Ours, but not wanted any more.
  bool to_clean_up() const { return has_finalizer && !elsewhere && (being_deleted || !wanted); }
  bool concerns_us() const { return to_clean_up() || (wanted && !being_deleted); }
};
const BalancerFacts& balancer_facts(const api::Object& service);

// Whether two states of a node are the same for load balancers.
bool is_same_forwarder(const api::Object& before, const api::Object& after);

// The internal addresses of the nodes that are ready and may be used for load balancers, of these
// families; the first family first, each in the order of the nodes.
std::vector<std::string> balancer_addresses(std::span<const api::ObjectPtr> nodes,
                                            std::span<const IpFamily> families);

}  // namespace proa::controllers
