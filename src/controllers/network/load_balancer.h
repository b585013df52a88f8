#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "controllers/network/service_facts.h"

// Decisions about services of type LoadBalancer. Every node forwards to them, so the load
// balancer's addresses are those of the nodes.

namespace proa::controllers {

inline constexpr const char* kBalancerFinalizer = "service.kubernetes.io/load-balancer-cleanup";

// What is read of a service, once per version of it.
struct BalancerFacts {
  bool wanted = false;         // it has that type and no loadBalancerClass
  bool elsewhere = false;      // another implementation handles it
  bool being_deleted = false;  // the service
  bool has_finalizer = false;
  std::vector<std::string> addresses = {};  // from the status; empty for a host name
  std::vector<IpFamily> families = {};

  // Handled by us before, but no longer wanted.
  bool to_clean_up() const { return has_finalizer && !elsewhere && (being_deleted || !wanted); }
  bool concerns_us() const { return to_clean_up() || (wanted && !being_deleted); }
};
const BalancerFacts& balancer_facts(const api::Object& service);

// Whether two versions of a node are equal for load balancers.
bool is_same_forwarder(const api::Object& before, const api::Object& after);

// The internal addresses, in these families, of ready nodes that are not excluded from load
// balancers; first family first, in the order of the nodes.
std::vector<std::string> balancer_addresses(std::span<const api::ObjectPtr> nodes,
                                            std::span<const IpFamily> families);

}  // namespace proa::controllers
