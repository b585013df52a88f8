#pragma once

#include "api/object/edit.h"
#include "api/object/view.h"

namespace proa::kinds {

// A MetricSpec or a MetricStatus of an autoscaler in its two forms. autoscaling/v1 has no such
// field: its form is only met inside of annotations.
enum class MetricPart : uint8_t { kSpec, kStatus };

void metric_to_v1(api::View metric, MetricPart part, api::Edit converted);
void metric_to_v2(api::View metric, MetricPart part, api::Edit converted);

}  // namespace proa::kinds
