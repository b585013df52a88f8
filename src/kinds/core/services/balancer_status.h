#pragma once

#include <string_view>
#include <vector>

#include "api/typed/decode.h"

// The addresses of a load balancer, in the status of its Service.

namespace proa::kinds {

struct BalancerIngress {
  std::string_view ip;
  std::string_view mode = "VIP";

  static const api::FieldTable& table();
};

struct BalancerStatus {
  std::vector<BalancerIngress> ingress;

  static const api::FieldTable& table();
};

struct ServiceStatus {
  BalancerStatus balancer;

  static const api::FieldTable& table();
};

}  // namespace proa::kinds
