#pragma once

#include <span>

#include "kinds/rules.h"

namespace proa::kinds {

// What makes pods and what cares for their number: groups apps, batch, autoscaling, policy and
// scheduling.k8s.io.
std::span<const KindRules> workloads_rules();
std::span<const TypeDefaults> workloads_type_defaults();

}  // namespace proa::kinds
