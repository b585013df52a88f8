#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// Autoscalers are stored as autoscaling/v2. The rules of autoscaling/v1 apply to the object as it
// would be in v2.
KindRules horizontal_pod_autoscaler_rules();
KindRules horizontal_pod_autoscaler_v1_rules();

// Fills in the scaling policies of a HorizontalPodAutoscalerBehavior.
void default_autoscaler_behavior(api::Edit behavior);

}  // namespace proa::kinds
