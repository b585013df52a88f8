#pragma once

#include <memory>

#include "controllers/framework/controller.h"
#include "controllers/workload/autoscaler/metrics_source.h"

namespace proa::controllers {

// HorizontalPodAutoscalers: as many replicas as the metrics ask for, within the limits. Each is
// looked at every 15 seconds. The keys are those of autoscalers.
std::unique_ptr<Controller> make_autoscaler(const ControllerContext& context);
// The same with metrics from elsewhere, which it owns.
std::unique_ptr<Controller> make_autoscaler(const ControllerContext& context,
                                            std::unique_ptr<MetricsSource> metrics);

}  // namespace proa::controllers
