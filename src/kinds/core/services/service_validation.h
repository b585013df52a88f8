#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// REQUIRES: addresses and ports are already allocated.
void validate_service(View object, api::FieldErrors& errors);

// clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy, before and after allocation.
void validate_cluster_ips(View spec, api::FieldErrors& errors);

void validate_load_balancer_class(View spec, api::FieldErrors& errors);

}  // namespace proa::kinds
