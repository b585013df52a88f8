#include "controllers/workload/job/pod_template.h"

#include <algorithm>

#include "controllers/pods/pod_control.h"

namespace proa::controllers::jobs {
namespace job_pod_template {

using api::Edit;
using api::View;

constexpr std::string_view kVariable = "JOB_COMPLETION_INDEX";
// Room that generateName leaves in a name of 63 characters.
constexpr size_t kMostOfName = 58;

void put_finalizer(Edit metadata) {
  const Edit finalizers = metadata.array("finalizers");
  const auto there = finalizers.view().items();
  const bool found = std::any_of(there.begin(), there.end(),
                                 [](View one) { return one.text() == kTrackingFinalizer; });
  if (!found) finalizers.push(json::Value::string(metadata.arena(), kTrackingFinalizer));
}

void put_variable(Edit container) {
  for (const View variable : container["env"].items()) {
    if (variable["name"].text() == kVariable) return;
  }
  const Edit variable = container.array("env").push_object();
  variable.set("name", kVariable);
  variable.object("valueFrom")
      .object("fieldRef")
      .set("fieldPath", "metadata.labels['" + std::string(kIndexKey) + "']");
}

void put_index(Edit pod, std::string_view job, const PodIndex& index) {
  const std::string text = std::to_string(index.index);
  const Edit metadata = pod.object("metadata");
  const Edit annotations = metadata.object("annotations");
  metadata.set("generateName", indexed_name_prefix(job, index.index));
  metadata.object("labels").set(kIndexKey, text);
  annotations.set(kIndexKey, text);
  if (index.failures) annotations.set(kFailuresKey, std::to_string(*index.failures));
  if (index.ignored_failures > 0) {
    annotations.set(kIgnoredFailuresKey, std::to_string(index.ignored_failures));
  }
  const Edit spec = pod.object("spec");
  spec.set("hostname", std::string(job) + "-" + text);
  for (const char* list : {"initContainers", "containers"}) {
    if (!spec.has(list)) continue;
    const Edit containers = spec.existing(list);
    for (size_t i = 0; i < containers.size(); ++i) put_variable(containers.item(i));
  }
}

}  // namespace job_pod_template

json::Document make_pod(const Owner& owner, api::View job, const std::optional<PodIndex>& index) {
  json::Document document = pod_from_template(owner, job["spec"]["template"]);
  const api::Edit pod(document);
  job_pod_template::put_finalizer(pod.object("metadata"));
  if (index) job_pod_template::put_index(pod, owner.object.metadata().name, *index);
  return document;
}

PodIndex index_after(const JobFacts& job, int64_t index, const JobPod* before) {
  PodIndex wanted{.index = index};
  if (!job.spec.backoff_limit_per_index) return wanted;
  wanted.failures = 0;
  if (before == nullptr) return wanted;
  const bool counts = judge_failure(job.spec.failure_rules, job.name_space, *before).counts();
  wanted.failures = before->failures + (counts ? 1 : 0);
  wanted.ignored_failures = before->ignored_failures + (counts ? 0 : 1);
  return wanted;
}

std::string indexed_name_prefix(std::string_view job, int64_t index) {
  const std::string end = "-" + std::to_string(index) + "-";
  return std::string(job.substr(0, job_pod_template::kMostOfName - end.size())) + end;
}

}  // namespace proa::controllers::jobs
