#pragma once

#include "api/object/edit.h"
#include "client/events/recorder.h"
#include "controllers/framework/controller.h"
#include "controllers/workload/autoscaler/behavior.h"
#include "controllers/workload/autoscaler/metric_proposals.h"
#include "controllers/workload/autoscaler/scale_target.h"

namespace proa::controllers {

// What a round needs besides the autoscaler itself.
struct RoundContext {
  client::BoundedClient client;
  client::EventRecorder& events;
  MetricsSource& metrics;
  Time now;
};

// One look at an autoscaler: from its spec and what is measured to a number of replicas, and what
// the status says about it. For one thread; everything outlives it.
class ScalingRound {
 public:
  // `autoscaler`: a copy of `object`, whose status is changed.
  ScalingRound(const RoundContext& context, const api::Object& object, api::Edit autoscaler,
               ScalingHistory& history);

  // Nothing can be done without the target's scale.
  void tell_scale_failed(const Status& why);
  void tell_scale_read();
  void tell_invalid_selector(std::string_view event, std::string_view condition,
                             const std::string& message, const std::string& event_message);

  // Whether metrics decide how many there are: else the target has none, or is out of the bounds.
  bool needs_metrics(const ScaleFacts& scale) const;
  // Changes the target where that is to be done. `pods`: of the selector; only read when metrics
  // are needed.
  void scale(ScaleTarget& target, const api::LabelSelector& selector,
             const std::vector<const PodSample*>& pods);
  // The metrics can't be asked for.
  void give_up(const ScaleFacts& scale);

 private:
  struct Wanted {
    int64_t replicas;
    std::string reason;  // of the change, for people
  };

  std::optional<Wanted> wanted_by_bounds(const ScaleFacts& scale);
  std::optional<Wanted> wanted_by_metrics(const ScaleFacts& scale,
                                          const api::LabelSelector& selector,
                                          const std::vector<const PodSample*>& pods);
  // The metric that asks for most; nullopt when none can be relied on.
  std::optional<MetricAnswer> highest_answer(const MetricQuestion& question);
  void rescale(ScaleTarget& target, const Wanted& wanted);

  void set(std::string_view type, bool holds, std::string_view reason, std::string message);
  void warn(std::string_view reason, std::string message);
  void tell_replicas(int64_t current, int64_t desired, bool rescaled);
  Tolerances tolerances() const;

  const RoundContext& context_;
  const client::ObjectReference self_;
  const api::Edit autoscaler_;
  const api::Edit status_;  // before the spec, which moves when a status is added
  const api::View spec_;
  const std::optional<Behavior> behavior_;
  const ScalingBounds bounds_;
  ScalingHistory& history_;
  json::Value measured_;  // status.currentMetrics
};

}  // namespace proa::controllers
