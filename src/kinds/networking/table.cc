#include "kinds/networking/table.h"

#include "kinds/networking/networking.h"

namespace proa::kinds {

std::span<const KindRules> networking_rules() {
  static const KindRules kRules[] = {
      ingress_rules(),    ingress_class_rules(), network_policy_rules(),
      ip_address_rules(), service_cidr_rules(),  endpoint_slice_rules(),
      lease_rules(),      runtime_class_rules(), events_event_rules(),
  };
  return kRules;
}

std::span<const TypeDefaults> networking_type_defaults() {
  static constexpr TypeDefaults kDefaults[] = {
      {"networking.k8s.io/v1/NetworkPolicySpec", default_network_policy_spec},
  };
  return kDefaults;
}

}  // namespace proa::kinds
