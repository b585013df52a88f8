#include "controllers/workload/job/job_pod.h"

#include <algorithm>
#include <limits>

#include "base/strings.h"
#include "controllers/workload/objects/job_pod.h"

namespace proa::controllers::jobs {
namespace job_pod_reader {

using objects::ContainerStatus;

std::optional<int64_t> index_of(std::string_view annotation) {
  const std::optional<int64_t> index = parse_int(annotation);
  return index && *index >= 0 ? index : std::nullopt;
}

// Users can write annotations: invalid values count as absent.
int64_t count_of(std::string_view annotation) {
  const int64_t count = parse_int(annotation).value_or(0);
  return count < 0 || count > std::numeric_limits<int32_t>::max() ? 0 : count;
}

bool is_sidecar(const objects::JobPod& pod, std::string_view name) {
  for (const objects::InitContainer& container : pod.spec.init_containers) {
    if (container.name == name) return container.restart_policy == "Always";
  }
  return false;
}

// The end of the last container, sidecars included; nullopt while one runs.
std::optional<Time> containers_ended(const objects::JobPod& pod) {
  std::optional<Time> last;
  const auto look = [&](const ContainerStatus& one) {
    const std::optional<Time> ended = one.state.terminated.finished;
    if (ended && (!last || *ended > *last)) last = ended;
    return ended.has_value();
  };
  for (const ContainerStatus& one : pod.status.containers) {
    if (!look(one)) return std::nullopt;
  }
  for (const ContainerStatus& one : pod.status.init_containers) {
    if (is_sidecar(pod, one.name) && !look(one)) return std::nullopt;
  }
  return last;
}

// From container statuses; for pods of lost nodes, the deletion time.
Time finished_at(const objects::JobPod& pod) {
  if (const auto ended = containers_ended(pod)) return *ended;
  if (const auto* ready = objects::find_condition(pod.status.conditions, "Ready")) {
    const std::optional<Time> not_ready = ready->since();
    if (ready->status == "False" && not_ready) return *not_ready;
  }
  if (const auto deleted = pod.metadata.deleted) {
    return *deleted - std::chrono::seconds(pod.metadata.grace_period_seconds);
  }
  return pod.metadata.created;
}

void read_end(const objects::JobPod& pod, JobPod& facts) {
  facts.finished_at = finished_at(pod);
  for (const auto* list : {&pod.status.containers, &pod.status.init_containers}) {
    for (const ContainerStatus& one : *list) {
      const int64_t code = one.state.terminated.exit_code;
      if (code != 0) facts.exits.push_back({one.name, code});
    }
  }
  for (const objects::StatusCondition& one : pod.status.conditions) {
    facts.conditions.emplace_back(one.type, one.status);
  }
}

JobPod read(const api::Object& object) {
  JobPod facts;
  const Result<objects::JobPod> pod = api::decode<objects::JobPod>(object);
  if (!pod) return facts;
  const objects::JobPodMetadata& metadata = pod->metadata;
  const PodFacts& common = pod_facts(object);
  facts.name = object.metadata().name;
  facts.uid = api::Uid(object.metadata().uid);
  facts.phase = common.phase;
  facts.being_deleted = common.being_deleted;
  facts.ready = common.ready;
  facts.tracked = std::find(metadata.finalizers.begin(), metadata.finalizers.end(),
                            kTrackingFinalizer) != metadata.finalizers.end();
  facts.index = index_of(metadata.annotations.index);
  facts.failures = count_of(metadata.annotations.failures);
  facts.ignored_failures = count_of(metadata.annotations.ignored_failures);
  for (const auto* list : {&pod->status.init_containers, &pod->status.containers}) {
    for (const ContainerStatus& one : *list) facts.restarts += one.restarts;
  }
  if (!facts.active()) read_end(*pod, facts);
  return facts;
}

}  // namespace job_pod_reader

const JobPod& job_pod(const api::Object& pod) {
  return pod.kept<JobPod>([&] { return job_pod_reader::read(pod); });
}

}  // namespace proa::controllers::jobs
