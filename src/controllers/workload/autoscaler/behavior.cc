#include "controllers/workload/autoscaler/behavior.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proa::controllers {
namespace behavior_rules {

using Entries = std::vector<ScalingHistory::Entry>;

// Upstream's default of --horizontal-pod-autoscaler-downscale-stabilization.
constexpr Duration kScaleDownWindow = std::chrono::minutes(5);
// The default scale-up limit: measurements may be wrong.
constexpr int64_t kUpFactor = 2;
constexpr int64_t kUpMinimum = 4;

constexpr std::string_view kWithinRange = "the desired count is within the acceptable range";
constexpr std::string_view kTooFast =
    "the desired replica count is increasing faster than the maximum scale rate";
constexpr std::string_view kTooFastDown =
    "the desired replica count is decreasing faster than the maximum scale rate";
constexpr std::string_view kTooMany =
    "the desired replica count is more than the maximum replica count";
constexpr std::string_view kTooFew =
    "the desired replica count is less than the minimum replica count";
constexpr std::string_view kHigherBefore =
    "recent recommendations were higher than current one, applying the highest recent "
    "recommendation";
constexpr std::string_view kLowerBefore =
    "recent recommendations were lower than current one, applying the lowest recent "
    "recommendation";

ScalingRules::Select read_select(std::string_view text) {
  if (text == "Min") return ScalingRules::Select::kMin;
  if (text == "Disabled") return ScalingRules::Select::kDisabled;
  return ScalingRules::Select::kMax;
}

ScalingRules read_rules(const objects::AutoscalerRules& rules, Duration window) {
  ScalingRules read{.window = window, .select = read_select(rules.select_policy)};
  if (rules.stabilization_window_seconds) {
    read.window = std::chrono::seconds(*rules.stabilization_window_seconds);
  }
  for (const objects::AutoscalerPolicy& policy : rules.policies) {
    read.policies.push_back({.percent = policy.type == "Percent",
                             .value = policy.value,
                             .period = std::chrono::seconds(policy.period_seconds)});
  }
  if (rules.tolerance) read.tolerance = rules.tolerance->approximate();
  return read;
}

int64_t changed_since(const Entries& changes, Time since) {
  int64_t sum = 0;
  for (const ScalingHistory::Entry& change : changes) {
    if (change.at > since) sum += change.replicas;
  }
  return sum;
}

// The inputs of the limits.
struct Limits {
  int64_t current;
  const ScalingBounds& bounds;
  const Behavior& behavior;
  ScalingHistory& history;
  Time now;
};

// The maximum (`up`) or minimum replica count that the policies allow now.
int64_t limit_of(const ScalingRules& rules, bool up, const Limits& limits) {
  if (rules.select == ScalingRules::Select::kDisabled) return limits.current;
  std::optional<int64_t> limit;
  for (const ScalingPolicy& policy : rules.policies) {
    const Time start = limits.now - policy.period;
    const int64_t at_start = limits.current - changed_since(limits.history.ups, start) +
                             changed_since(limits.history.downs, start);
    const double part = static_cast<double>(policy.value) / 100;
    int64_t proposed = up ? at_start + policy.value : at_start - policy.value;
    if (policy.percent && up) {
      // Rounded up, or small counts would never grow.
      proposed = static_cast<int64_t>(std::ceil(static_cast<double>(at_start) * (1 + part)));
    } else if (policy.percent) {
      proposed = static_cast<int64_t>(static_cast<double>(at_start) * (1 - part));
    }
    const bool higher = up == (rules.select == ScalingRules::Select::kMax);
    limit = !limit ? proposed : higher ? std::max(*limit, proposed) : std::min(*limit, proposed);
  }
  return limit.value_or(limits.current);
}

void set_limit(LimitedReplicas& result, int64_t desired, int64_t replicas, std::string_view reason,
               std::string_view message) {
  result.replicas = replicas;
  result.limited = replicas != desired;
  result.limit_reason = reason;
  result.limit_message = message;
}

void set_stabilized(LimitedReplicas& result, bool stabilized, std::string_view reason,
                    std::string_view message) {
  result.able_reason = stabilized ? reason : "ReadyForNewScale";
  result.able_message = stabilized ? message : "recommended size matches current size";
}

// The highest recommendation of the window.
int64_t stabilize_down(int64_t desired, ScalingHistory& history, Time now) {
  const Time oldest = now - kScaleDownWindow;
  std::erase_if(history.recommendations, [&](const auto& one) { return one.at < oldest; });
  int64_t highest = desired;
  for (const auto& one : history.recommendations) highest = std::max(highest, one.replicas);
  history.recommendations.push_back({desired, now});
  return highest;
}

LimitedReplicas limit_by_default(int64_t current, int64_t desired, const ScalingBounds& bounds,
                                 ScalingHistory& history, Time now) {
  LimitedReplicas result;
  const int64_t stable = stabilize_down(desired, history, now);
  set_stabilized(result, stable != desired, "ScaleDownStabilized", kHigherBefore);
  const int64_t fastest = std::max(kUpFactor * current, kUpMinimum);
  if (stable < bounds.min) {
    set_limit(result, stable, bounds.min, "TooFewReplicas", kTooFew);
  } else if (stable > std::min(bounds.max, fastest)) {
    const bool too_fast = bounds.max > fastest;
    set_limit(result, stable, std::min(bounds.max, fastest),
              too_fast ? "ScaleUpLimit" : "TooManyReplicas", too_fast ? kTooFast : kTooMany);
  } else {
    set_limit(result, stable, stable, "DesiredWithinRange", kWithinRange);
  }
  return result;
}

// Not above the lowest recommendation of the scale-up window, nor below the highest of the
// scale-down window.
int64_t stabilize(int64_t desired, const Limits& limits) {
  const Time up_since = limits.now - limits.behavior.up.window;
  const Time down_since = limits.now - limits.behavior.down.window;
  std::vector<ScalingHistory::Entry>& recommendations = limits.history.recommendations;
  int64_t lowest = desired;
  int64_t highest = desired;
  for (const auto& one : recommendations) {
    if (one.at > up_since) lowest = std::min(lowest, one.replicas);
    if (one.at > down_since) highest = std::max(highest, one.replicas);
  }
  std::erase_if(recommendations,
                [&](const auto& one) { return one.at < up_since && one.at < down_since; });
  recommendations.push_back({desired, limits.now});
  return std::min(std::max(limits.current, lowest), highest);
}

void limit_rate(LimitedReplicas& result, int64_t stable, const Limits& limits) {
  const ScalingBounds& bounds = limits.bounds;
  if (stable > limits.current) {
    const int64_t fastest = std::max(limit_of(limits.behavior.up, true, limits), limits.current);
    const bool too_fast = bounds.max > fastest;
    const int64_t most = std::min(bounds.max, fastest);
    if (stable > most) {
      set_limit(result, stable, most, too_fast ? "ScaleUpLimit" : "TooManyReplicas",
                too_fast ? kTooFast : kTooMany);
      return;
    }
  } else if (stable < limits.current) {
    const int64_t fastest = std::min(limit_of(limits.behavior.down, false, limits), limits.current);
    const bool too_fast = bounds.min < fastest;
    const int64_t least = std::max(bounds.min, fastest);
    if (stable < least) {
      set_limit(result, stable, least, too_fast ? "ScaleDownLimit" : "TooFewReplicas",
                too_fast ? kTooFastDown : kTooFew);
      return;
    }
  }
  set_limit(result, stable, stable, "DesiredWithinRange", kWithinRange);
}

}  // namespace behavior_rules

Duration ScalingRules::longest_period() const {
  Duration longest{};
  for (const ScalingPolicy& policy : policies) longest = std::max(longest, policy.period);
  return longest;
}

std::optional<Behavior> read_behavior(const objects::AutoscalerSpec& spec) {
  if (!spec.behavior) return std::nullopt;
  return Behavior{.up = behavior_rules::read_rules(spec.behavior->scale_up, Duration{}),
                  .down = behavior_rules::read_rules(spec.behavior->scale_down,
                                                     behavior_rules::kScaleDownWindow)};
}

void ScalingHistory::add_change(const Behavior& behavior, int64_t before, int64_t after, Time now) {
  const Time oldest = now - std::max(behavior.up.longest_period(), behavior.down.longest_period());
  for (std::vector<Entry>* changes : {&ups, &downs}) {
    std::erase_if(*changes, [&](const Entry& one) { return one.at < oldest; });
  }
  if (after > before) {
    ups.push_back({after - before, now});
  } else {
    downs.push_back({before - after, now});
  }
}

LimitedReplicas limit_replicas(int64_t current, int64_t desired, const ScalingBounds& bounds,
                               const std::optional<Behavior>& behavior, ScalingHistory& history,
                               Time now) {
  if (!behavior) return behavior_rules::limit_by_default(current, desired, bounds, history, now);
  LimitedReplicas result;
  const behavior_rules::Limits limits{current, bounds, *behavior, history, now};
  const int64_t stable = behavior_rules::stabilize(desired, limits);
  const bool up = desired >= current;
  behavior_rules::set_stabilized(result, stable != desired,
                                 up ? "ScaleUpStabilized" : "ScaleDownStabilized",
                                 up ? behavior_rules::kLowerBefore : behavior_rules::kHigherBefore);
  behavior_rules::limit_rate(result, stable, limits);
  return result;
}

}  // namespace proa::controllers
