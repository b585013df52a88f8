#include "controllers/workload/autoscaler/replica_count.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace proa::controllers {
namespace replica_count {

using Requests = std::map<std::string, int64_t, std::less<>>;

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

Status failure(std::string why) { return {Reason::kInternalError, std::move(why)}; }

int64_t rounded_up(double replicas) {
  return replicas >= static_cast<double>(kMost) ? kMost : static_cast<int64_t>(std::ceil(replicas));
}

void leave_out(const std::vector<std::string>& pods, PodMetrics& metrics) {
  for (const std::string& pod : pods) metrics.erase(pod);
}

// What is used in relation to what is wanted.
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
    if (request == requests.end()) continue;  // of a pod that nobody asked about
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

// How metrics of single pods are judged: how their ratio is worked out, and what a pod that was not
// measured is taken to use when fewer would do.
struct Measure {
  std::function<Result<Ratio>(const PodMetrics&)> ratio;
  std::function<int64_t(const std::string& pod)> cautious;
};

// Pods that were not measured, or do not do their part yet, must not turn the direction: they are
// taken to use much when fewer pods would do, and nothing when more are wanted.
void assume(const PodGroups& groups, const Measure& measure, double ratio, PodMetrics& metrics) {
  if (ratio != 1.0) {
    for (const std::string& pod : groups.missing) {
      metrics[pod] = {Time{}, Duration{}, ratio < 1.0 ? measure.cautious(pod) : 0};
    }
  }
  if (ratio > 1.0) {
    for (const std::string& pod : groups.unready) metrics[pod] = {Time{}, Duration{}, 0};
  }
}

// More when more are used than wanted, and the other way round.
bool turns(double before, double after) {
  return (before < 1.0 && after > 1.0) || (before > 1.0 && after < 1.0);
}

Result<Proposal> propose(const ScaledPods& scaled, PodMetrics metrics, const PodGroups& groups,
                         const Measure& measure) {
  const Ratio measured = TRY(measure.ratio(metrics));
  Proposal proposal{scaled.replicas, measured.usage, measured.utilization};
  const bool more_with_unready = !groups.unready.empty() && measured.ratio > 1.0;
  if (!more_with_unready && groups.missing.empty()) {
    if (!scaled.tolerances.cover(measured.ratio)) {
      proposal.replicas = rounded_up(measured.ratio * static_cast<double>(groups.ready));
    }
    return proposal;
  }
  assume(groups, measure, measured.ratio, metrics);
  const Ratio assumed = TRY(measure.ratio(metrics));
  if (scaled.tolerances.cover(assumed.ratio) || turns(measured.ratio, assumed.ratio)) {
    return proposal;
  }
  const int64_t replicas = rounded_up(assumed.ratio * static_cast<double>(metrics.size()));
  // More metrics than replicas, or less, must not turn the direction either.
  const bool wrong_way = (assumed.ratio < 1.0 && replicas > scaled.replicas) ||
                         (assumed.ratio > 1.0 && replicas < scaled.replicas);
  if (!wrong_way) proposal.replicas = replicas;
  return proposal;
}

Status no_pods() { return failure("no pods returned by selector while calculating replica count"); }

// Groups the pods, and takes out of the metrics what does not count.
Result<PodGroups> group(const ScaledPods& scaled, PodMetrics& metrics, bool is_cpu) {
  if (scaled.pods.empty()) return no_pods();
  PodGroups groups = group_pods(scaled.pods, metrics, is_cpu, scaled.now);
  leave_out(groups.ignored, metrics);
  leave_out(groups.unready, metrics);
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
      .cautious =
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
      .cautious = [&](const std::string&) { return target; }};
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
  const auto serving = std::count_if(scaled.pods.begin(), scaled.pods.end(),
                                     [](const PodSample* pod) { return pod->serves(); });
  proposal.replicas = replica_count::rounded_up(ratio * static_cast<double>(serving));
  return proposal;
}

Proposal replicas_for_share(int64_t replicas, const Tolerances& tolerances, int64_t usage,
                            int64_t target) {
  const double used = static_cast<double>(usage);
  const double wanted = static_cast<double>(target);
  Proposal proposal{.replicas = replicas};
  // Without replicas the ratio is infinite, or none at all: never within the tolerances.
  if (!tolerances.cover(used / (wanted * static_cast<double>(replicas)))) {
    proposal.replicas = replica_count::rounded_up(used / wanted);
  }
  constexpr int64_t kMostUsage = std::numeric_limits<int64_t>::max();
  const double share = std::ceil(used / static_cast<double>(replicas));
  proposal.usage = replicas == 0 || share >= static_cast<double>(kMostUsage)
                       ? (usage == 0 ? 0 : kMostUsage)
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
