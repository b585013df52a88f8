#pragma once

#include "api/object/edit.h"
#include "api/object/view.h"

namespace proa::kinds {

// Converts a MetricSpec or a MetricStatus of an autoscaler. autoscaling/v1 has no such fields: its
// form occurs only inside annotations.
enum class MetricPart : uint8_t { kSpec, kStatus };

void metric_to_v1(api::View metric, MetricPart part, api::Edit converted);
void metric_to_v2(api::View metric, MetricPart part, api::Edit converted);

}  // namespace proa::kinds
