#include "controllers/workload/autoscaler/pod_sample.h"

#include "controllers/framework/times.h"
#include "kinds/core/quota/usage/pod_amounts.h"

namespace proa::controllers {
namespace pod_sample_reader {

using api::View;

// How long after its start a pod may still be busy with starting: upstream's defaults.
constexpr Duration kCpuInitialization = std::chrono::minutes(5);
// A pod that becomes unready this soon after its start has never been ready.
constexpr Duration kInitialReadiness = std::chrono::seconds(30);

std::optional<PodSample::Readiness> readiness_of(View status) {
  for (const View condition : status["conditions"].items()) {
    if (condition["type"].text() != "Ready") continue;
    return PodSample::Readiness{.is_true = condition["status"].text() == "True",
                                .is_false = condition["status"].text() == "False",
                                .since = time_of(condition["lastTransitionTime"]).value_or(Time{})};
  }
  return std::nullopt;
}

void read_container(View container, PodSample& sample) {
  sample.containers.push_back({std::string(container["name"].text()),
                               kinds::quota::read_amounts(container["resources"]["requests"])});
}

PodSample read(const api::Object& pod) {
  PodSample sample;
  sample.name = pod.metadata().name;
  const Result<json::Document> document = pod.document();
  if (!document) return sample;
  const View root = document->root();
  const View spec = root["spec"];
  const View status = root["status"];
  sample.phase = status["phase"].text();
  sample.being_deleted = pod.metadata().being_deleted;
  sample.started = time_of(status["startTime"]);
  sample.readiness = readiness_of(status);
  for (const View container : spec["containers"].items()) read_container(container, sample);
  for (const View container : spec["initContainers"].items()) {
    if (container["restartPolicy"].text() == "Always") read_container(container, sample);
  }
  if (!spec["resources"]["requests"].empty()) {
    sample.as_a_whole = kinds::quota::amounts_of_pod(root).requests;
  }
  return sample;
}

bool is_unready(const PodSample& pod, const PodMetric& metric, Time now) {
  if (!pod.readiness || !pod.started) return true;
  if (*pod.started + kCpuInitialization > now) {
    // Measured, at least in part, while it was not yet what it is.
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
  if (container.empty() && pod.as_a_whole) {
    const auto found = pod.as_a_whole->find(resource);
    if (found != pod.as_a_whole->end()) return found->second.milli_value();
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
