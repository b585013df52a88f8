#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// The metrics of a HorizontalPodAutoscaler, in the form of autoscaling/v2.
void validate_autoscaler_metrics(View metrics, const api::Path& path, api::FieldErrors& errors);

// "cpu: 12%/80%, 3/5 (avg) + 2 more..."
std::string autoscaler_metrics_cell(View metrics, View current);

// A CrossVersionObjectReference.
void validate_autoscaler_reference(View reference, bool group_needed, const api::Path& path,
                                   api::FieldErrors& errors);

}  // namespace proa::kinds
