#include "kinds/core/services/balancer_status.h"

namespace proa::kinds {

using api::entry;

const api::FieldTable& BalancerIngress::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&BalancerIngress::ip>("ip"),
      entry<&BalancerIngress::mode>("ipMode"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/LoadBalancerIngress", .entries = kEntries};
  return kTable;
}

const api::FieldTable& BalancerStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&BalancerStatus::ingress>("ingress"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/LoadBalancerStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ServiceStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ServiceStatus::balancer>("loadBalancer"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/ServiceStatus", .entries = kEntries};
  return kTable;
}

}  // namespace proa::kinds
