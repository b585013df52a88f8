#pragma once

#include "api/object/edit.h"
#include "api/object/view.h"

namespace proa::kinds {

// An autoscaler of autoscaling/v1 in the form of v2, and back. Kind, apiVersion and metadata are
// there already. What v1 has no fields for lies in annotations: other metrics than the use of CPU,
// behavior, current metrics, conditions.
void autoscaler_to_v2(api::View v1, api::Edit converted);
void autoscaler_to_v1(api::View v2, api::Edit converted);

// Those annotations mean nothing in v2, and are not kept there.
void drop_conversion_annotations(api::Edit autoscaler);

}  // namespace proa::kinds
