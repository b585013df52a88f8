#include "kinds/core/pods/prepare.h"

#include <fmt/format.h>

#include <deque>
#include <map>

#include "kinds/core/pods/spec/annotations.h"
#include "kinds/core/pods/spec/security.h"
#include "kinds/core/resources/resources.h"

namespace proa::kinds::pods {

namespace prepare {

using api::Edit;

template <typename Change>
void each_item(Edit object, std::string_view list, Change change) {
  if (!object.has(list)) return;
  const Edit items = object.existing(list);
  for (size_t i = 0; i < items.size(); ++i) change(items.item(i));
}

void set_gated(Edit status, Time now) {
  const Edit condition = status.array("conditions").push_object();
  condition.set("type", "PodScheduled");
  condition.set("status", "False");
  condition.set("lastProbeTime", json::Value());
  condition.set("lastTransitionTime", format_time(now));
  condition.set("reason", "SchedulingGated");
  condition.set("message", "Scheduling is blocked due to non-empty scheduling gates");
}

// Adds the pod's own values for these keys to the selector, so that the scheduler can ignore the
// keys.
void add_to_selector(Edit owner, std::string_view keys, std::string_view operation, View labels) {
  if (!owner["labelSelector"].exists()) return;
  for (const View key : owner[keys].items()) {
    const View value = labels[key.text()];
    if (!value.exists()) continue;
    const Edit selector = owner.existing("labelSelector");
    const Edit expression = selector.array("matchExpressions").push_object();
    expression.copy("key", key);
    expression.set("operator", operation);
    expression.array("values").push(value.value()->copy(owner.arena()));
  }
}

void complete_affinity_term(Edit term, View labels) {
  add_to_selector(term, "matchLabelKeys", "In", labels);
  add_to_selector(term, "mismatchLabelKeys", "NotIn", labels);
}

void complete_affinity(Edit spec, View labels) {
  if (!spec.has("affinity")) return;
  const Edit affinity = spec.existing("affinity");
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    if (!affinity.has(kind)) continue;
    const Edit terms = affinity.existing(kind);
    each_item(terms, "requiredDuringSchedulingIgnoredDuringExecution",
              [&](Edit term) { complete_affinity_term(term, labels); });
    each_item(terms, "preferredDuringSchedulingIgnoredDuringExecution", [&](Edit term) {
      if (term.has("podAffinityTerm"))
        complete_affinity_term(term.existing("podAffinityTerm"), labels);
    });
  }
}

// Sets the field of profiles that are given by annotation only.
void take_app_armor(Edit container, View annotations, View pod_profile) {
  const View annotation =
      annotations[fmt::format("{}{}", kAppArmorPrefix, container["name"].text())];
  if (!annotation.exists() || container["securityContext"]["appArmorProfile"].exists()) return;
  const ProfileText profile = app_armor_from_annotation(annotation.text());
  if (profile.type.empty()) return;
  if (pod_profile.exists() && pod_profile["type"].text() == profile.type &&
      pod_profile["localhostProfile"].text() == profile.local) {
    return;
  }
  json::Value field = json::Value::object();
  const Edit made(container.arena(), field);
  made.set("type", profile.type);
  if (!profile.local.empty()) made.set("localhostProfile", profile.local);
  api::FieldErrors errors;
  validate_app_armor_profile(made.view(), api::Path(), errors);
  if (errors.empty()) container.object("securityContext").set("appArmorProfile", std::move(field));
}

// Keeps the field of clients that do not know it.
void keep_observed_generations(Edit status, View old) {
  if (status["observedGeneration"].integer() == 0)
    status.copy("observedGeneration", old["observedGeneration"]);
  std::map<std::string_view, std::deque<int64_t>> known;  // in order, where a type comes twice
  for (const View condition : old["conditions"].items())
    known[condition["type"].text()].push_back(condition["observedGeneration"].integer());
  each_item(status, "conditions", [&](Edit condition) {
    auto& generations = known[condition["type"].text()];
    if (generations.empty()) return;
    const int64_t generation = generations.front();
    generations.pop_front();
    if (condition["observedGeneration"].integer() == 0 && generation != 0)
      condition.set("observedGeneration", generation);
  });
}

}  // namespace prepare

void prepare_pod_create(api::Edit pod, const Writer& writer) {
  // Creates both first: adding a member invalidates references into the object.
  pod.set("status", json::Value::object());
  const api::Edit spec = pod.object("spec");
  const api::Edit status = pod.existing("status");
  status.set("phase", "Pending");
  status.set("qosClass", quality_of_service(spec.view()));
  if (!spec["schedulingGates"].empty()) prepare::set_gated(status, writer.now);

  const View labels = pod["metadata"]["labels"];
  prepare::complete_affinity(spec, labels);
  prepare::each_item(spec, "topologySpreadConstraints", [&](api::Edit constraint) {
    prepare::add_to_selector(constraint, "matchLabelKeys", "In", labels);
  });
  if (spec["os"]["name"].text() == "windows") return;
  const View annotations = pod["metadata"]["annotations"];
  if (annotations.empty()) return;
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    prepare::each_item(spec, list, [&](api::Edit container) {
      prepare::take_app_armor(container, annotations, spec["securityContext"]["appArmorProfile"]);
    });
  }
}

void prepare_pod_status_update(api::Edit pod, View old, const Writer&) {
  // Old kubelets wrote invalid values here.
  const api::Edit metadata = pod.object("metadata");
  metadata.copy("ownerReferences", old["metadata"]["ownerReferences"]);
  metadata.copy("deletionTimestamp", old["metadata"]["deletionTimestamp"]);
  const api::Edit status = pod.object("status");
  if (status["qosClass"].text().empty()) status.copy("qosClass", old["status"]["qosClass"]);
  prepare::keep_observed_generations(status, old["status"]);
}

}  // namespace proa::kinds::pods
