#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/edit.h"
#include "controllers/workload/autoscaler/replica_count.h"
#include "controllers/workload/objects/autoscaler.h"

namespace proa::controllers {

// The scale target, for evaluating a metric.
struct MetricQuery {
  std::string_view name_space;
  const api::LabelSelector& selector;  // of the pods
  const ScaledPods& scaled;
  int64_t status_replicas = 0;  // status.replicas of the scale
};

// Why a metric could not be evaluated.
struct MetricFailure {
  std::string reason;   // of the condition and the event: "FailedGetResourceMetric"
  std::string message;  // of the condition and the event
  std::string context;  // prefix of the message in the summary of all metrics; may be empty
};

// The replica count that one metric proposes.
struct MetricProposal {
  int64_t replicas = 0;
  std::string name = {};  // "cpu resource utilization (percentage of request)"
  std::optional<MetricFailure> failure = std::nullopt;
};

// Evaluates one of spec.metrics. Writes the measured values into `status`, an item of
// status.currentMetrics; only an empty type after a failure.
MetricProposal evaluate_metric(MetricsSource& source, const MetricQuery& query,
                               const objects::Metric& metric, api::Edit status);

}  // namespace proa::controllers
