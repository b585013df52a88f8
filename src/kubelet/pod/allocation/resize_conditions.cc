#include "kubelet/pod/allocation/resize_conditions.h"

#include "api/object/edit.h"
#include "json/print.h"
#include "kubelet/model/status_fields.h"

namespace proa::kubelet {
namespace resize_conditions {

using api::Edit;
using api::View;

std::optional<ResizeCondition> read(View status, std::string_view type) {
  const View found = find_condition(status, type);
  if (found["status"].text() != "True") return std::nullopt;
  const Result<Time> since = parse_time(found["lastTransitionTime"].text());
  const Result<Time> told = parse_time(found["lastProbeTime"].text());
  return ResizeCondition{.reason = std::string(found["reason"].text()),
                         .message = std::string(found["message"].text()),
                         .generation = found["observedGeneration"].integer(),
                         .since = since ? *since : Time{},
                         .told = told ? *told : Time{}};
}

// In the order of upstream's fields, which encoding/json keeps.
void write_containers(View containers, Edit list) {
  for (const View container : containers.items()) {
    const Edit written = list.push_object();
    written.copy("name", container["name"]);
    const Edit resources = written.object("resources");
    for (const std::string_view field : {"limits", "requests", "claims"}) {
      if (!container["resources"][field].empty())
        resources.copy(field, container["resources"][field]);
    }
  }
}

}  // namespace resize_conditions

ResizeConditions read_resize_conditions(api::View status) {
  return {.pending = resize_conditions::read(status, "PodResizePending"),
          .in_progress = resize_conditions::read(status, "PodResizeInProgress")};
}

std::string resize_message(std::string_view what, const Pod& pod, int64_t generation,
                           std::string_view error) {
  json::Document document(json::Arena(), json::Value::object());
  const api::Edit summary(document);
  for (const std::string_view list : {"initContainers", "containers"}) {
    if (pod.spec()[list].empty()) continue;
    resize_conditions::write_containers(pod.spec()[list], summary.array(list));
  }
  summary.set("generation", generation);
  if (!error.empty()) summary.set("error", error);
  return "Pod resize " + std::string(what) + ": " + json::print(document.root());
}

}  // namespace proa::kubelet
