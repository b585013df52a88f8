#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "base/time.h"
#include "proxy/model/node_facts.h"
#include "proxy/model/service_port.h"

namespace proa::proxy {

// Objects with one of these labels are not for this proxy.
inline constexpr std::string_view kForeignLabels =
    "!service.kubernetes.io/service-proxy-name,!service.kubernetes.io/headless";

// The service of an EndpointSlice; empty if it has none.
std::string_view service_of_slice(const api::Object& slice);

// All that one Service needs on this node.
struct ServiceState {
  // In the order of families and names.
  std::vector<ServicePort> ports = {};
  uint16_t health_check_port = 0;  // zero: none
  // Per Family: how many addresses of ready endpoints are local.
  std::array<size_t, 2> local_ready = {};
  // Per Family: when the changes began that the slices are the result of, where the controller says
  // so.
  std::array<std::vector<Time>, 2> triggers = {};
};

// Empty if the Service has no cluster IP (headless, ExternalName) or is malformed. Ports and
// endpoints that are malformed are left out, which the log says. `slices`: those of the Service.
ServiceState read_service(const api::Object& service, std::span<const api::ObjectPtr> slices,
                          const NodeFacts& node);

}  // namespace proa::proxy
