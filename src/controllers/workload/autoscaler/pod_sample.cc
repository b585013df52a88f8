#include "controllers/workload/autoscaler/pod_sample.h"

#include "controllers/workload/objects/autoscaler.h"
#include "kinds/core/quota/usage/pod_amounts.h"

namespace proa::controllers {
namespace pod_sample_reader {

// Upstream's default of --horizontal-pod-autoscaler-cpu-initialization-period.
constexpr Duration kCpuInitialization = std::chrono::minutes(5);
// Upstream's default of --horizontal-pod-autoscaler-initial-readiness-delay: a pod that becomes
// unready this soon after its start has never been ready.
constexpr Duration kInitialReadiness = std::chrono::seconds(30);

std::optional<PodSample::Readiness> readiness_of(const objects::ScaledPodStatus& status) {
  const objects::StatusCondition* ready = objects::find_condition(status.conditions, "Ready");
  if (ready == nullptr) return std::nullopt;
  return PodSample::Readiness{.is_true = ready->holds(),
                              .is_false = ready->status == "False",
                              .since = ready->since().value_or(Time{})};
}

PodSample read(const api::Object& object) {
  PodSample sample;
  sample.name = object.metadata().name;
  Result<objects::ScaledPod> pod = api::decode<objects::ScaledPod>(object);
  if (!pod) return sample;
  sample.phase = std::move(pod->status.phase);
  sample.being_deleted = object.metadata().being_deleted;
  sample.started = pod->status.started;
  sample.readiness = readiness_of(pod->status);
  for (objects::ScaledContainer& one : pod->spec.containers) {
    sample.containers.push_back({std::move(one.name), std::move(one.resources.requests)});
  }
  for (objects::ScaledContainer& one : pod->spec.init_containers) {
    if (one.restart_policy != "Always") continue;
    sample.containers.push_back({std::move(one.name), std::move(one.resources.requests)});
  }
  if (pod->spec.resources.requests.empty()) return sample;
  const Result<json::Document> document = object.document();
  if (document) sample.pod_requests = kinds::quota::amounts_of_pod(document->root()).requests;
  return sample;
}

bool is_unready(const PodSample& pod, const PodMetric& metric, Time now) {
  if (!pod.readiness || !pod.started) return true;
  if (*pod.started + kCpuInitialization > now) {
    // The window includes time before the last readiness change.
    return pod.readiness->is_false || metric.measured < pod.readiness->since + metric.window;
  }
  return pod.readiness->is_false && *pod.started + kInitialReadiness > pod.readiness->since;
}

Status failure(std::string why) { return {Reason::kInternalError, std::move(why)}; }

}  // namespace pod_sample_reader

const PodSample& pod_sample(const api::Object& pod) {
  return pod.kept<PodSample>([&] { return pod_sample_reader::read(pod); });
}

Result<int64_t> request_of(const PodSample& pod, std::string_view resource,
                           std::string_view container) {
  using pod_sample_reader::failure;
  if (container.empty() && pod.pod_requests) {
    const auto found = pod.pod_requests->find(resource);
    if (found != pod.pod_requests->end()) return found->second.milli_value();
    return failure("missing pod-level request for " + std::string(resource) + " in Pod " +
                   pod.name);
  }
  int64_t sum = 0;
  for (const PodSample::Container& one : pod.containers) {
    if (!container.empty() && one.name != container) continue;
    const auto found = one.requests.find(resource);
    if (found == one.requests.end()) {
      return failure("missing request for " + std::string(resource) + " in container " + one.name +
                     " of Pod " + pod.name);
    }
    sum += found->second.milli_value();
    if (!container.empty()) return sum;
  }
  if (container.empty()) return sum;
  return failure("container " + std::string(container) + " not found in Pod " + pod.name);
}

PodGroups group_pods(const std::vector<const PodSample*>& pods, const PodMetrics& metrics,
                     bool is_cpu, Time now) {
  PodGroups groups;
  for (const PodSample* pod : pods) {
    if (pod->being_deleted || pod->phase == "Failed") {
      groups.ignored.push_back(pod->name);
      continue;
    }
    if (pod->phase == "Pending") {
      groups.unready.push_back(pod->name);
      continue;
    }
    const auto metric = metrics.find(pod->name);
    if (metric == metrics.end()) {
      groups.missing.push_back(pod->name);
    } else if (is_cpu && pod_sample_reader::is_unready(*pod, metric->second, now)) {
      groups.unready.push_back(pod->name);
    } else {
      ++groups.ready;
    }
  }
  return groups;
}

}  // namespace proa::controllers
