#pragma once

#include "kinds/rules.h"

// The kinds of group autoscaling. Autoscalers are stored as autoscaling/v2; rules for
// autoscaling/v1 look at what it would be there.

namespace proa::kinds {

KindRules horizontal_pod_autoscaler_rules();
KindRules horizontal_pod_autoscaler_v1_rules();
KindRules scale_rules();

// "autoscaling/v2/HorizontalPodAutoscalerBehavior".
void default_autoscaler_behavior(api::Edit behavior);

// Both of the kind's main parts, in the form of autoscaling/v2.
void validate_autoscaler_metrics(View metrics, const api::Path& path, api::FieldErrors& errors);
void validate_autoscaler_reference(View reference, bool group_needed, const api::Path& path,
                                   api::FieldErrors& errors);

// "cpu: 12%/80%, 3/5 (avg) + 2 more..."
std::string autoscaler_metrics_cell(View metrics, View current);

}  // namespace proa::kinds
