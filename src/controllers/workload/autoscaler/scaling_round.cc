#include "controllers/workload/autoscaler/scaling_round.h"

#include "base/log.h"
#include "controllers/framework/conditions.h"

namespace proa::controllers {
namespace scaling_round {

const Log kLog{"controllers"};

constexpr std::string_view kAbleToScale = "AbleToScale";
constexpr std::string_view kScalingActive = "ScalingActive";
constexpr std::string_view kScalingLimited = "ScalingLimited";
// Said only by those whose autoscalers scale to zero, which is off in this release.
constexpr std::string_view kScaledToZero = "ScaledToZero";

ScalingBounds bounds_of(api::View spec) {
  return {.least = spec["minReplicas"].integer(1), .most = spec["maxReplicas"].integer()};
}

}  // namespace scaling_round

ScalingRound::ScalingRound(const RoundContext& context, const api::Object& object,
                           api::Edit autoscaler, ScalingHistory& history)
    : context_(context),
      self_(client::ObjectReference::to(object)),
      autoscaler_(autoscaler),
      status_(autoscaler.object("status")),
      spec_(autoscaler["spec"]),
      behavior_(read_behavior(spec_)),
      bounds_(scaling_round::bounds_of(spec_)),
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

void ScalingRound::tell_scale_failed(const Status& why) {
  warn("FailedGetScale", why.message());
  set(scaling_round::kAbleToScale, false, "FailedGetScale",
      "the HPA controller was unable to get the target's current scale: " + why.message());
}

void ScalingRound::tell_scale_read() {
  set(scaling_round::kAbleToScale, true, "SucceededGetScale",
      "the HPA controller was able to get the target's current scale");
}

void ScalingRound::tell_invalid_selector(std::string_view event, std::string_view condition,
                                         const std::string& message,
                                         const std::string& event_message) {
  warn(event, event_message);
  set(scaling_round::kScalingActive, false, condition, message);
  warn("FailedComputeMetricsReplicas", event_message);
}

bool ScalingRound::needs_metrics(const ScaleFacts& scale) const {
  return scale.wanted != 0 && scale.wanted <= bounds_.most && scale.wanted >= bounds_.least;
}

void ScalingRound::give_up(const ScaleFacts& scale) {
  tell_replicas(scale.wanted, status_["desiredReplicas"].integer(), false);
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
  const ScaleFacts scale = target.facts();
  const bool by_metrics = needs_metrics(scale);
  const std::optional<Wanted> wanted =
      by_metrics ? wanted_by_metrics(scale, selector, pods) : wanted_by_bounds(scale);
  if (!wanted) {
    give_up(scale);
    return;
  }
  if (wanted->replicas != scale.wanted) {
    rescale(target, *wanted);
  } else {
    tell_replicas(scale.wanted, scale.wanted, false);
  }
}

// Who has none was switched off by somebody.
std::optional<ScalingRound::Wanted> ScalingRound::wanted_by_bounds(const ScaleFacts& scale) {
  if (scale.wanted == 0) {
    set(scaling_round::kScalingActive, false, "ScalingDisabled",
        "scaling is disabled since the replica count of the target is zero");
    remove_condition(status_, scaling_round::kScaledToZero);
    return Wanted{0, ""};
  }
  if (scale.wanted > bounds_.most) {
    return Wanted{bounds_.most, "Current number of replicas above Spec.MaxReplicas"};
  }
  return Wanted{bounds_.least, "Current number of replicas below Spec.MinReplicas"};
}

std::optional<ScalingRound::Wanted> ScalingRound::wanted_by_metrics(
    const ScaleFacts& scale, const api::LabelSelector& selector,
    const std::vector<const PodSample*>& pods) {
  const ScaledPods scaled{
      .replicas = scale.wanted, .pods = pods, .tolerances = tolerances(), .now = context_.now};
  const std::optional<MetricAnswer> highest = highest_answer({.name_space = self_.name_space,
                                                              .selector = selector,
                                                              .scaled = scaled,
                                                              .replicas_there = scale.there});
  if (!highest) return std::nullopt;
  Wanted wanted{highest->replicas, ""};
  if (wanted.replicas > scale.wanted) wanted.reason = highest->name + " above target";
  if (wanted.replicas < scale.wanted) wanted.reason = "All metrics below target";
  const LimitedReplicas limited =
      limit_replicas(scale.wanted, wanted.replicas, bounds_, behavior_, history_, context_.now);
  set(scaling_round::kAbleToScale, true, limited.able_reason, std::string(limited.able_message));
  set(scaling_round::kScalingLimited, limited.limited, limited.limit_reason,
      std::string(limited.limit_message));
  wanted.replicas = limited.replicas;
  return wanted;
}

std::optional<MetricAnswer> ScalingRound::highest_answer(const MetricQuestion& question) {
  std::optional<MetricAnswer> highest;
  std::optional<MetricFailure> first;
  size_t failed = 0;
  measured_ = json::Value::array();
  const api::Edit statuses(autoscaler_.arena(), measured_);
  for (const api::View metric : spec_["metrics"].items()) {
    MetricAnswer answer =
        answer_of_metric(context_.metrics, question, metric, statuses.push_object());
    if (answer.failure) {
      warn(answer.failure->reason, answer.failure->message);
      ++failed;
      if (!first) first = answer.failure;
    } else if (!highest || highest->replicas == 0 || answer.replicas > highest->replicas) {
      highest = std::move(answer);
    }
  }
  const size_t all = spec_["metrics"].size();
  // What could not be measured might ask for more than the others.
  if (failed >= all || (failed > 0 && highest->replicas < question.scaled.replicas)) {
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

void ScalingRound::rescale(ScaleTarget& target, const Wanted& wanted) {
  const int64_t before = target.facts().wanted;
  const std::string size = std::to_string(wanted.replicas);
  const std::string what = "New size: " + size + "; reason: " + wanted.reason;
  if (const Result<void> written = target.write(context_.client, wanted.replicas); !written) {
    warn("FailedRescale", what + "; error: " + written.status().message());
    set(scaling_round::kAbleToScale, false, "FailedUpdateScale",
        "the HPA controller was unable to update the target scale: " + written.status().message());
    tell_replicas(before, status_["desiredReplicas"].integer(), false);
    return;
  }
  set(scaling_round::kAbleToScale, true, "SucceededRescale",
      "the HPA controller was able to update the target scale to " + size);
  context_.events.normal(self_, "SuccessfulRescale", what);
  if (behavior_) history_.add_change(*behavior_, before, wanted.replicas, context_.now);
  remove_condition(status_, scaling_round::kScaledToZero);
  scaling_round::kLog.info("scale target resized",
                           {{"autoscaler", self_.name_space + "/" + self_.name},
                            {"replicas", size},
                            {"why", wanted.reason}});
  tell_replicas(before, wanted.replicas, true);
}

void ScalingRound::tell_replicas(int64_t current, int64_t desired, bool rescaled) {
  // Zero is not written in this field.
  status_.remove("currentReplicas");
  if (current != 0) status_.set("currentReplicas", current);
  status_.set("desiredReplicas", desired);
  status_.remove("observedGeneration");
  status_.set("currentMetrics", std::move(measured_));
  if (rescaled) status_.set("lastScaleTime", format_time(context_.now));
}

}  // namespace proa::controllers
