#pragma once

#include <memory>

#include "controllers/framework/controller.h"
#include "controllers/workload/autoscaler/metrics_source.h"

namespace proa::controllers {

// Scales the targets of HorizontalPodAutoscalers by their metrics, every 15 seconds. The keys are
// those of autoscalers.
std::unique_ptr<Controller> make_autoscaler(const ControllerContext& context);
// The same with other metrics.
std::unique_ptr<Controller> make_autoscaler(const ControllerContext& context,
                                            std::unique_ptr<MetricsSource> metrics);

}  // namespace proa::controllers
