#include "controllers/workload/job/job_pod.h"

#include <algorithm>
#include <limits>

#include "api/object/view.h"
#include "base/strings.h"
#include "controllers/framework/conditions.h"
#include "controllers/framework/times.h"

namespace proa::controllers::jobs {
namespace job_pod_reader {

using api::View;

std::optional<int64_t> index_of(View annotations) {
  const std::optional<int64_t> index = parse_int(annotations[kIndexKey].text());
  return index && *index >= 0 ? index : std::nullopt;
}

// Anybody can write annotations: what makes no sense counts as none.
int64_t count_of(View annotations, std::string_view key) {
  const int64_t count = parse_int(annotations[key].text()).value_or(0);
  return count < 0 || count > std::numeric_limits<int32_t>::max() ? 0 : count;
}

bool is_sidecar(View spec, std::string_view name) {
  for (const View container : spec["initContainers"].items()) {
    if (container["name"].text() == name) return container["restartPolicy"].text() == "Always";
  }
  return false;
}

// When the last container ended, sidecars included; none while one of them has not.
std::optional<Time> containers_ended(View pod) {
  std::optional<Time> last;
  const auto look = [&](View one) {
    const std::optional<Time> ended = time_of(one["state"]["terminated"]["finishedAt"]);
    if (ended && (!last || *ended > *last)) last = ended;
    return ended.has_value();
  };
  for (const View one : pod["status"]["containerStatuses"].items()) {
    if (!look(one)) return std::nullopt;
  }
  for (const View one : pod["status"]["initContainerStatuses"].items()) {
    if (is_sidecar(pod["spec"], one["name"].text()) && !look(one)) return std::nullopt;
  }
  return last;
}

// Pods that a kubelet runs say it; of those whose node is gone, it is when they were deleted.
Time finished_at(View pod) {
  if (const auto ended = containers_ended(pod)) return *ended;
  const View ready = find_condition(pod["status"], "Ready");
  const std::optional<Time> not_ready = time_of(ready["lastTransitionTime"]);
  if (ready["status"].text() == "False" && not_ready) return *not_ready;
  const View metadata = pod["metadata"];
  if (const auto deleted = time_of(metadata["deletionTimestamp"])) {
    return *deleted - std::chrono::seconds(metadata["deletionGracePeriodSeconds"].integer());
  }
  return time_of(metadata["creationTimestamp"]).value_or(Time{});
}

void read_end(View pod, JobPod& facts) {
  const View status = pod["status"];
  facts.finished_at = finished_at(pod);
  for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
    for (const View one : status[list].items()) {
      const int64_t code = one["state"]["terminated"]["exitCode"].integer();
      if (code != 0) facts.exits.push_back({std::string(one["name"].text()), code});
    }
  }
  for (const View one : status["conditions"].items()) {
    facts.conditions.emplace_back(one["type"].text(), one["status"].text());
  }
}

bool has_finalizer(View metadata) {
  const auto finalizers = metadata["finalizers"].items();
  return std::any_of(finalizers.begin(), finalizers.end(),
                     [](View one) { return one.text() == kTrackingFinalizer; });
}

JobPod read(const api::Object& object) {
  JobPod facts;
  const Result<json::Document> document = object.document();
  if (!document) return facts;
  const View pod = document->root();
  const View metadata = pod["metadata"];
  const View annotations = metadata["annotations"];
  const PodFacts& common = pod_facts(object);
  facts.name = object.metadata().name;
  facts.uid = object.metadata().uid;
  facts.phase = common.phase;
  facts.being_deleted = common.being_deleted;
  facts.ready = common.ready;
  facts.tracked = has_finalizer(metadata);
  facts.index = index_of(annotations);
  facts.failures = count_of(annotations, kFailuresKey);
  facts.ignored_failures = count_of(annotations, kIgnoredFailuresKey);
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    for (const View one : pod["status"][list].items()) {
      facts.restarts += one["restartCount"].integer();
    }
  }
  if (!facts.active()) read_end(pod, facts);
  return facts;
}

}  // namespace job_pod_reader

const JobPod& job_pod(const api::Object& pod) {
  return pod.kept<JobPod>([&] { return job_pod_reader::read(pod); });
}

}  // namespace proa::controllers::jobs
