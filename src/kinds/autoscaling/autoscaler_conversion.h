#pragma once

#include "api/object/edit.h"
#include "api/object/view.h"

namespace proa::kinds {

// Converts an autoscaler between autoscaling/v1 and v2. Kind, apiVersion and metadata are already
// set. v1 keeps what it has no fields for in annotations: metrics other than CPU utilization,
// behavior, current metrics, conditions.
void autoscaler_to_v2(api::View v1, api::Edit converted);
void autoscaler_to_v1(api::View v2, api::Edit converted);

// Removes those annotations: v2 does not use them.
void drop_conversion_annotations(api::Edit autoscaler);

}  // namespace proa::kinds
