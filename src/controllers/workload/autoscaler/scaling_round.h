#pragma once

#include "api/object/edit.h"
#include "client/events/recorder.h"
#include "controllers/framework/controller.h"
#include "controllers/workload/autoscaler/behavior.h"
#include "controllers/workload/autoscaler/metric_proposals.h"
#include "controllers/workload/autoscaler/scale_target.h"

namespace proa::controllers {

// The dependencies of a round.
struct RoundContext {
  client::BoundedClient client;
  client::EventRecorder& events;
  MetricsSource& metrics;
  Time now;
};

// One reconcile of an autoscaler: computes the replica count, scales the target, edits the status.
// For one thread; everything outlives it.
class ScalingRound {
 public:
  // `spec`: of `object`. `document`: of `object`; its status is edited.
  ScalingRound(const RoundContext& context, const api::Object& object,
               const objects::AutoscalerSpec& spec, api::Edit document, ScalingHistory& history);

  // Reports that the target's scale could not be read; the round ends.
  void report_scale_failed(const Status& why);
  void report_scale_read();
  void report_invalid_selector(std::string_view event, std::string_view condition,
                               const std::string& message, const std::string& event_message);

  // False if the target has zero replicas or is out of bounds: then metrics do not matter.
  bool needs_metrics(const objects::Scale& scale) const;
  // Scales the target if necessary. `pods`: of the selector; only read if metrics are needed.
  void scale(ScaleTarget& target, const api::LabelSelector& selector,
             const std::vector<const PodSample*>& pods);
  // Leaves the replica count as it is: metrics cannot be queried.
  void give_up(const objects::Scale& scale);

 private:
  struct Desired {
    int64_t replicas;
    std::string reason;  // for the event
  };

  Desired desired_by_bounds(const objects::Scale& scale);
  // Nullopt if too many metrics failed.
  std::optional<Desired> desired_by_metrics(const objects::Scale& scale,
                                            const api::LabelSelector& selector,
                                            const std::vector<const PodSample*>& pods);
  std::optional<MetricProposal> highest_proposal(const MetricQuery& query);
  void rescale(ScaleTarget& target, const Desired& desired);

  void set(std::string_view type, bool holds, std::string_view reason, std::string message);
  void warn(std::string_view reason, std::string message);
  void put_replicas(int64_t current, int64_t desired, bool rescaled);
  Tolerances tolerances() const;

  const RoundContext& context_;
  const client::ObjectReference self_;
  const api::Edit status_;
  const objects::AutoscalerSpec& spec_;
  const std::optional<Behavior> behavior_;
  const ScalingBounds bounds_;
  ScalingHistory& history_;
  json::Value measured_;  // status.currentMetrics
};

}  // namespace proa::controllers
