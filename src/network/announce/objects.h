#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/typed/decode.h"
#include "kinds/core/services/balancer_status.h"
#include "kinds/discovery/endpoint_conditions.h"

// The fields of Services, EndpointSlices and Leases by which announcers decide. For those of Nodes
// see kinds::BalancerNode.

namespace proa::network::announced {

struct ServicePort {
  int64_t number = 0;
  std::string_view protocol = "TCP";

  static const api::FieldTable& table();
};

struct ServiceSpec {
  std::string_view type;
  std::vector<ServicePort> ports;
  std::string_view external_policy;
  api::Presence balancer_class;

  static const api::FieldTable& table();
};

struct Service {
  ServiceSpec spec;
  kinds::ServiceStatus status;

  static const api::FieldTable& table();
};

struct Endpoint {
  kinds::EndpointConditions conditions;
  std::string_view node;

  static const api::FieldTable& table();
};

struct EndpointSlice {
  std::string_view address_type;
  std::vector<Endpoint> endpoints;

  static const api::FieldTable& table();
};

struct LeaseSpec {
  std::string_view holder;
  std::string_view renewed;

  static const api::FieldTable& table();
};

struct Lease {
  LeaseSpec spec;

  static const api::FieldTable& table();
};

}  // namespace proa::network::announced
