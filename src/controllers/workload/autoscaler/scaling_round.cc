#include "controllers/workload/autoscaler/scaling_round.h"

#include "base/log.h"
#include "controllers/framework/conditions.h"

namespace proa::controllers {
namespace scaling_round {

const Log kLog{"controllers"};

constexpr std::string_view kAbleToScale = "AbleToScale";
constexpr std::string_view kScalingActive = "ScalingActive";
constexpr std::string_view kScalingLimited = "ScalingLimited";
// Set only with scaling to zero (HPAScaleToZero), which is off in this release.
constexpr std::string_view kScaledToZero = "ScaledToZero";

}  // namespace scaling_round

ScalingRound::ScalingRound(const RoundContext& context, const api::Object& object,
                           const objects::AutoscalerSpec& spec, api::Edit document,
                           ScalingHistory& history)
    : context_(context),
      self_(client::ObjectReference::to(object)),
      status_(document.object("status")),
      spec_(spec),
      behavior_(read_behavior(spec_)),
      bounds_{.min = spec.min_replicas, .max = spec.max_replicas},
      history_(history) {}

void ScalingRound::set(std::string_view type, bool holds, std::string_view reason,
                       std::string message) {
  set_condition(status_,
                {.type = type,
                 .status = holds ? "True" : "False",
                 .reason = reason,
                 .message = std::move(message)},
                context_.now);
}

void ScalingRound::warn(std::string_view reason, std::string message) {
  context_.events.warning(self_, reason, std::move(message));
}

void ScalingRound::report_scale_failed(const Status& why) {
  warn("FailedGetScale", why.message());
  set(scaling_round::kAbleToScale, false, "FailedGetScale",
      "the HPA controller was unable to get the target's current scale: " + why.message());
}

void ScalingRound::report_scale_read() {
  set(scaling_round::kAbleToScale, true, "SucceededGetScale",
      "the HPA controller was able to get the target's current scale");
}

void ScalingRound::report_invalid_selector(std::string_view event, std::string_view condition,
                                           const std::string& message,
                                           const std::string& event_message) {
  warn(event, event_message);
  set(scaling_round::kScalingActive, false, condition, message);
  warn("FailedComputeMetricsReplicas", event_message);
}

bool ScalingRound::needs_metrics(const objects::Scale& scale) const {
  const int64_t replicas = scale.spec.replicas;
  return replicas != 0 && replicas <= bounds_.max && replicas >= bounds_.min;
}

void ScalingRound::give_up(const objects::Scale& scale) {
  put_replicas(scale.spec.replicas, status_["desiredReplicas"].integer(), false);
}

Tolerances ScalingRound::tolerances() const {
  Tolerances tolerances;
  if (!behavior_) return tolerances;
  tolerances.down = behavior_->down.tolerance.value_or(tolerances.down);
  tolerances.up = behavior_->up.tolerance.value_or(tolerances.up);
  return tolerances;
}

void ScalingRound::scale(ScaleTarget& target, const api::LabelSelector& selector,
                         const std::vector<const PodSample*>& pods) {
  const objects::Scale& scale = target.scale();
  const int64_t current = scale.spec.replicas;
  const std::optional<Desired> desired =
      needs_metrics(scale) ? desired_by_metrics(scale, selector, pods) : desired_by_bounds(scale);
  if (!desired) {
    give_up(scale);
  } else if (desired->replicas != current) {
    rescale(target, *desired);
  } else {
    put_replicas(current, current, false);
  }
}

ScalingRound::Desired ScalingRound::desired_by_bounds(const objects::Scale& scale) {
  if (scale.spec.replicas == 0) {
    set(scaling_round::kScalingActive, false, "ScalingDisabled",
        "scaling is disabled since the replica count of the target is zero");
    remove_condition(status_, scaling_round::kScaledToZero);
    return {0, ""};
  }
  if (scale.spec.replicas > bounds_.max) {
    return {bounds_.max, "Current number of replicas above Spec.MaxReplicas"};
  }
  return {bounds_.min, "Current number of replicas below Spec.MinReplicas"};
}

std::optional<ScalingRound::Desired> ScalingRound::desired_by_metrics(
    const objects::Scale& scale, const api::LabelSelector& selector,
    const std::vector<const PodSample*>& pods) {
  const int64_t current = scale.spec.replicas;
  const ScaledPods scaled{
      .replicas = current, .pods = pods, .tolerances = tolerances(), .now = context_.now};
  const std::optional<MetricProposal> highest =
      highest_proposal({.name_space = self_.name_space,
                        .selector = selector,
                        .scaled = scaled,
                        .status_replicas = scale.status.replicas});
  if (!highest) return std::nullopt;
  Desired desired{highest->replicas, ""};
  if (desired.replicas > current) desired.reason = highest->name + " above target";
  if (desired.replicas < current) desired.reason = "All metrics below target";
  const LimitedReplicas limited =
      limit_replicas(current, desired.replicas, bounds_, behavior_, history_, context_.now);
  set(scaling_round::kAbleToScale, true, limited.able_reason, std::string(limited.able_message));
  set(scaling_round::kScalingLimited, limited.limited, limited.limit_reason,
      std::string(limited.limit_message));
  desired.replicas = limited.replicas;
  return desired;
}

std::optional<MetricProposal> ScalingRound::highest_proposal(const MetricQuery& query) {
  std::optional<MetricProposal> highest;
  std::optional<MetricFailure> first;
  size_t failed = 0;
  measured_ = json::Value::array();
  const api::Edit statuses(status_.arena(), measured_);
  for (const objects::Metric& metric : spec_.metrics) {
    MetricProposal proposal =
        evaluate_metric(context_.metrics, query, metric, statuses.push_object());
    if (proposal.failure) {
      warn(proposal.failure->reason, proposal.failure->message);
      ++failed;
      if (!first) first = proposal.failure;
    } else if (!highest || highest->replicas == 0 || proposal.replicas > highest->replicas) {
      highest = std::move(proposal);
    }
  }
  const size_t all = spec_.metrics.size();
  // No scaling down while a metric fails: it might propose more than the others.
  if (failed >= all || (failed > 0 && highest->replicas < query.scaled.replicas)) {
    const MetricFailure failure = first.value_or(MetricFailure{});
    set(scaling_round::kScalingActive, false, failure.reason,
        "the HPA was unable to compute the replica count: " + failure.message);
    warn("FailedComputeMetricsReplicas",
         "invalid metrics (" + std::to_string(failed) + " invalid out of " + std::to_string(all) +
             "), first error is: " + failure.context + failure.message);
    return std::nullopt;
  }
  set(scaling_round::kScalingActive, true, "ValidMetricFound",
      "the HPA was able to successfully calculate a replica count from " + highest->name);
  return highest;
}

void ScalingRound::rescale(ScaleTarget& target, const Desired& desired) {
  const int64_t before = target.scale().spec.replicas;
  const std::string size = std::to_string(desired.replicas);
  const std::string what = "New size: " + size + "; reason: " + desired.reason;
  if (const Result<void> written = target.write(context_.client, desired.replicas); !written) {
    warn("FailedRescale", what + "; error: " + written.status().message());
    set(scaling_round::kAbleToScale, false, "FailedUpdateScale",
        "the HPA controller was unable to update the target scale: " + written.status().message());
    put_replicas(before, status_["desiredReplicas"].integer(), false);
    return;
  }
  set(scaling_round::kAbleToScale, true, "SucceededRescale",
      "the HPA controller was able to update the target scale to " + size);
  context_.events.normal(self_, "SuccessfulRescale", what);
  if (behavior_) history_.add_change(*behavior_, before, desired.replicas, context_.now);
  remove_condition(status_, scaling_round::kScaledToZero);
  scaling_round::kLog.info("scale target resized",
                           {{"autoscaler", self_.name_space + "/" + self_.name},
                            {"replicas", size},
                            {"why", desired.reason}});
  put_replicas(before, desired.replicas, true);
}

void ScalingRound::put_replicas(int64_t current, int64_t desired, bool rescaled) {
  // The API omits zero here.
  status_.remove("currentReplicas");
  if (current != 0) status_.set("currentReplicas", current);
  status_.set("desiredReplicas", desired);
  status_.remove("observedGeneration");
  status_.set("currentMetrics", std::move(measured_));
  if (rescaled) status_.set("lastScaleTime", format_time(context_.now));
}

}  // namespace proa::controllers
