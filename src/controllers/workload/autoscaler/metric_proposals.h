#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/edit.h"
#include "controllers/workload/autoscaler/replica_count.h"

namespace proa::controllers {

// Whose metrics are asked for, and for what.
struct MetricQuestion {
  std::string_view name_space;
  const api::LabelSelector& selector;  // of the pods
  const ScaledPods& scaled;
  int64_t replicas_there = 0;  // the scale's status
};

// Why a metric has no answer.
struct MetricFailure {
  std::string reason;   // of the condition and the event: "FailedGetResourceMetric"
  std::string message;  // of them
  std::string context;  // what was tried, before the message; "" for nothing
};

// What one metric of an autoscaler asks for.
struct MetricAnswer {
  int64_t replicas = 0;
  std::string name = {};  // "cpu resource utilization (percentage of request)"
  std::optional<MetricFailure> failure = std::nullopt;
};

// Asks the source about one of spec.metrics. What was measured is written into `status`, an item of
// status.currentMetrics; nothing after a failure.
MetricAnswer answer_of_metric(MetricsSource& source, const MetricQuestion& question,
                              api::View metric, api::Edit status);

}  // namespace proa::controllers
