#include "apiserver/access/admission/pods/limits/default_resources.h"

#include <map>
#include <string>
#include <vector>

#include "apiserver/access/admission/pods/pod_parts.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace default_resources {

using api::Edit;
using api::View;

constexpr std::string_view kAnnotation = "kubernetes.io/limit-ranger";

// By resource; sorted, as in the annotation.
using Defaults = std::map<std::string_view, View>;

Defaults read(View limits, std::string_view field) {
  Defaults defaults;
  for (const View item : limits.items()) {
    if (item["type"].text() != "Container") continue;
    for (const json::Member& member : item[field].members())
      defaults.insert_or_assign(member.key, View(member.value));
  }
  return defaults;
}

// Returns the resources that were set.
std::vector<std::string_view> fill(Edit container, std::string_view list,
                                   const Defaults& defaults) {
  std::vector<std::string_view> given;
  for (const auto& [resource, amount] : defaults) {
    if (container["resources"][list][resource].exists()) continue;
    container.object("resources").object(list).copy(resource, amount);
    given.push_back(resource);
  }
  return given;
}

struct Given {
  Defaults limits;
  Defaults requests;
  std::vector<std::string> notes;  // for the annotation

  void note(const std::vector<std::string_view>& given, std::string_view what, View container) {
    if (given.empty()) return;
    notes.push_back(join(given, ", ") + std::string(what) + std::string(container["name"].text()));
  }
};

}  // namespace default_resources

void set_default_resources(api::Edit pod, api::View limits) {
  default_resources::Given given{default_resources::read(limits, "default"),
                                 default_resources::read(limits, "defaultRequest"),
                                 {}};
  if (given.limits.empty() && given.requests.empty()) return;
  const auto complete = [&](std::string_view list, const std::string& whose) {
    each_object(pod.object("spec"), list, [&](api::Edit container) {
      const auto limits_given = default_resources::fill(container, "limits", given.limits);
      const auto requests_given = default_resources::fill(container, "requests", given.requests);
      given.note(requests_given, " request for " + whose + " ", container.view());
      given.note(limits_given, " limit for " + whose + " ", container.view());
    });
  };
  complete("containers", "container");
  complete("initContainers", "init container");
  if (given.notes.empty()) return;
  pod.object("metadata")
      .object("annotations")
      .set(default_resources::kAnnotation, "LimitRanger plugin set: " + join(given.notes, "; "));
}

}  // namespace proa::apiserver
