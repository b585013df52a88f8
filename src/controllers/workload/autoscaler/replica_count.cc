#include "controllers/workload/autoscaler/replica_count.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace proa::controllers {
namespace replica_count {

using Requests = std::map<std::string, int64_t, std::less<>>;

constexpr int64_t kMaxReplicas = std::numeric_limits<int32_t>::max();

Status failure(std::string why) { return {Reason::kInternalError, std::move(why)}; }

int64_t rounded_up(double replicas) {
  return replicas >= static_cast<double>(kMaxReplicas) ? kMaxReplicas
                                                       : static_cast<int64_t>(std::ceil(replicas));
}

void drop(const std::vector<std::string>& pods, PodMetrics& metrics) {
  for (const std::string& pod : pods) metrics.erase(pod);
}

// Usage in relation to the target.
struct Ratio {
  double ratio;
  int64_t usage;
  std::optional<int64_t> utilization = std::nullopt;
};

Result<Ratio> utilization_ratio(const PodMetrics& metrics, const Requests& requests,
                                int64_t target) {
  int64_t used = 0;
  int64_t requested = 0;
  int64_t count = 0;
  for (const auto& [pod, metric] : metrics) {
    const auto request = requests.find(pod);
    if (request == requests.end()) continue;  // not a pod of the target
    used += metric.value;
    requested += request->second;
    ++count;
  }
  if (requested == 0) return failure("no metrics returned matched known pods");
  const int64_t percent = used * 100 / requested;
  return Ratio{static_cast<double>(percent) / static_cast<double>(target), used / count, percent};
}

Result<Ratio> usage_ratio(const PodMetrics& metrics, int64_t target) {
  int64_t used = 0;
  for (const auto& [pod, metric] : metrics) used += metric.value;
  const int64_t average = used / static_cast<int64_t>(metrics.size());
  return Ratio{static_cast<double>(average) / static_cast<double>(target), average};
}

// How per-pod metrics are evaluated.
struct Measure {
  std::function<Result<Ratio>(const PodMetrics&)> ratio;
  // The usage assumed for a pod without a measurement when scaling down.
  std::function<int64_t(const std::string& pod)> assumed_usage;
};

// Missing and unready pods must not reverse the direction: they count with their full usage when
// scaling down, and with zero when scaling up.
void fill_in(const PodGroups& groups, const Measure& measure, double ratio, PodMetrics& metrics) {
  if (ratio != 1.0) {
    for (const std::string& pod : groups.missing) {
      metrics[pod] = {Time{}, Duration{}, ratio < 1.0 ? measure.assumed_usage(pod) : 0};
    }
  }
  if (ratio > 1.0) {
    for (const std::string& pod : groups.unready) metrics[pod] = {Time{}, Duration{}, 0};
  }
}

bool reverses(double before, double after) {
  return (before < 1.0 && after > 1.0) || (before > 1.0 && after < 1.0);
}

Result<Proposal> propose(const ScaledPods& scaled, PodMetrics metrics, const PodGroups& groups,
                         const Measure& measure) {
  const Ratio measured = TRY(measure.ratio(metrics));
  Proposal proposal{scaled.replicas, measured.usage, measured.utilization};
  const bool up_with_unready = !groups.unready.empty() && measured.ratio > 1.0;
  if (!up_with_unready && groups.missing.empty()) {
    if (!scaled.tolerances.cover(measured.ratio)) {
      proposal.replicas = rounded_up(measured.ratio * static_cast<double>(groups.ready));
    }
    return proposal;
  }
  fill_in(groups, measure, measured.ratio, metrics);
  const Ratio assumed = TRY(measure.ratio(metrics));
  if (scaled.tolerances.cover(assumed.ratio) || reverses(measured.ratio, assumed.ratio)) {
    return proposal;
  }
  const int64_t replicas = rounded_up(assumed.ratio * static_cast<double>(metrics.size()));
  // The number of metrics may differ from the replica count; that must not reverse it either.
  const bool reversed = (assumed.ratio < 1.0 && replicas > scaled.replicas) ||
                        (assumed.ratio > 1.0 && replicas < scaled.replicas);
  if (!reversed) proposal.replicas = replicas;
  return proposal;
}

Status no_pods() { return failure("no pods returned by selector while calculating replica count"); }

// Groups the pods and removes ignored and unready ones from the metrics.
Result<PodGroups> group(const ScaledPods& scaled, PodMetrics& metrics, bool is_cpu) {
  if (scaled.pods.empty()) return no_pods();
  PodGroups groups = group_pods(scaled.pods, metrics, is_cpu, scaled.now);
  drop(groups.ignored, metrics);
  drop(groups.unready, metrics);
  if (metrics.empty()) {
    return failure("did not receive metrics for targeted pods (pods might be unready)");
  }
  return groups;
}

}  // namespace replica_count

Result<Proposal> replicas_for_utilization(const ScaledPods& scaled, PodMetrics metrics,
                                          std::string_view resource, std::string_view container,
                                          int64_t target) {
  const PodGroups groups = TRY(replica_count::group(scaled, metrics, resource == "cpu"));
  replica_count::Requests requests;
  for (const PodSample* pod : scaled.pods) {
    const int64_t request = TRY(request_of(*pod, resource, container));
    requests.emplace(pod->name, request);
  }
  const replica_count::Measure measure{
      .ratio =
          [&](const PodMetrics& some) {
            return replica_count::utilization_ratio(some, requests, target);
          },
      .assumed_usage =
          [&](const std::string& pod) {
            return requests[pod] * std::max<int64_t>(100, target) / 100;
          }};
  return replica_count::propose(scaled, std::move(metrics), groups, measure);
}

Result<Proposal> replicas_for_average(const ScaledPods& scaled, PodMetrics metrics,
                                      std::string_view resource, int64_t target) {
  const PodGroups groups = TRY(replica_count::group(scaled, metrics, resource == "cpu"));
  const replica_count::Measure measure{
      .ratio = [&](const PodMetrics& some) { return replica_count::usage_ratio(some, target); },
      .assumed_usage = [&](const std::string&) { return target; }};
  return replica_count::propose(scaled, std::move(metrics), groups, measure);
}

Result<Proposal> replicas_for_value(const ScaledPods& scaled, int64_t usage, int64_t target) {
  const double ratio = static_cast<double>(usage) / static_cast<double>(target);
  Proposal proposal{.replicas = scaled.replicas, .usage = usage};
  if (scaled.replicas == 0) {
    proposal.replicas = replica_count::rounded_up(ratio);
    return proposal;
  }
  if (scaled.tolerances.cover(ratio)) return proposal;
  if (scaled.pods.empty()) {
    return replica_count::failure("unable to calculate ready pods: " +
                                  replica_count::no_pods().message());
  }
  const auto ready = std::count_if(scaled.pods.begin(), scaled.pods.end(),
                                   [](const PodSample* pod) { return pod->is_ready(); });
  proposal.replicas = replica_count::rounded_up(ratio * static_cast<double>(ready));
  return proposal;
}

Proposal replicas_for_average_value(int64_t replicas, const Tolerances& tolerances, int64_t usage,
                                    int64_t target) {
  const double used = static_cast<double>(usage);
  const double per_replica = static_cast<double>(target);
  Proposal proposal{.replicas = replicas};
  // With zero replicas the ratio is infinite or NaN: never within the tolerances.
  if (!tolerances.cover(used / (per_replica * static_cast<double>(replicas)))) {
    proposal.replicas = replica_count::rounded_up(used / per_replica);
  }
  constexpr int64_t kMaxUsage = std::numeric_limits<int64_t>::max();
  const double share = std::ceil(used / static_cast<double>(replicas));
  proposal.usage = replicas == 0 || share >= static_cast<double>(kMaxUsage)
                       ? (usage == 0 ? 0 : kMaxUsage)
                       : static_cast<int64_t>(share);
  return proposal;
}

int64_t sum_of(const std::vector<int64_t>& values) {
  int64_t sum = 0;
  for (const int64_t value : values) {
    if (__builtin_add_overflow(sum, value, &sum)) return std::numeric_limits<int64_t>::max();
  }
  return sum;
}

}  // namespace proa::controllers
