#pragma once

#include "kinds/rules.h"

// The kinds of this folder, a file for each.

namespace proa::kinds {

KindRules endpoint_slice_rules();
KindRules events_event_rules();
KindRules ingress_rules();
KindRules ingress_class_rules();
KindRules ip_address_rules();
KindRules lease_rules();
KindRules network_policy_rules();
KindRules runtime_class_rules();
KindRules service_cidr_rules();

// "networking.k8s.io/v1/NetworkPolicySpec".
void default_network_policy_spec(api::Edit spec);

}  // namespace proa::kinds
