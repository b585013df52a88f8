#include "kinds/core/quota/usage/pod_amounts.h"

#include <algorithm>
#include <map>
#include <optional>

#include "kinds/core/resources/resources.h"

namespace proa::kinds::quota {
namespace pod_amounts {

using api::Edit;
using api::View;
using kinds::pods::Bound;

bool has_pod_level(View list) {
  return std::any_of(list.members().begin(), list.members().end(), [](const json::Member& member) {
    return kinds::pods::is_pod_level_resource(member.key);
  });
}

// Whether the node can never provide what the spec requests.
bool is_resize_infeasible(View pod) {
  for (const View condition : pod["status"]["conditions"].items()) {
    if (condition["type"].text() == "PodResizePending") {
      return condition["reason"].text() == "Infeasible";
    }
  }
  return false;
}

// By container; only those with known resources.
using Statuses = std::map<std::string_view, View>;

Statuses statuses_of(View pod) {
  Statuses statuses;
  for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
    for (const View status : pod["status"][list].items()) {
      if (status["resources"]) statuses.try_emplace(status["name"].text(), status);
    }
  }
  return statuses;
}

// Replaces the desired resources by the charged ones.
void take_status(Edit container, View status, bool infeasible) {
  Amounts requests = read_amounts(status["resources"]["requests"]);
  take_larger(requests, read_amounts(status["allocatedResources"]));
  Amounts limits = read_amounts(status["resources"]["limits"]);
  const Edit resources = container.object("resources");
  if (!infeasible) {
    take_larger(requests, read_amounts(resources["requests"]));
    take_larger(limits, read_amounts(resources["limits"]));
  }
  write_amounts(resources, "requests", requests);
  write_amounts(resources, "limits", limits);
}

void take_statuses(Edit spec, const char* list, const Statuses& statuses, bool infeasible) {
  if (!spec[list].is(json::Kind::kArray)) return;
  const bool sidecars_only = list == std::string_view("initContainers");
  const Edit containers = spec.existing(list);
  for (size_t i = 0; i < containers.size(); ++i) {
    const View container = containers.view().item(i);
    if (!container.is(json::Kind::kObject)) continue;
    if (sidecars_only && !kinds::pods::is_sidecar(container)) continue;
    const auto status = statuses.find(container["name"].text());
    if (status != statuses.end()) take_status(containers.item(i), status->second, infeasible);
  }
}

// The spec with the resources that are charged while the pod runs.
json::Document effective_spec(View pod, const Statuses& statuses) {
  json::Document document;
  document.root() = pod["spec"].value()->copy(document.arena());
  const Edit spec(document);
  const bool infeasible = is_resize_infeasible(pod);
  take_statuses(spec, "containers", statuses, infeasible);
  take_statuses(spec, "initContainers", statuses, infeasible);
  return document;
}

Amounts sum_of(View spec, Bound bound) {
  Amounts sum;
  for (auto& [name, quantity] : kinds::pods::sum_of_containers(spec, bound)) {
    sum.emplace(name, quantity);
  }
  return sum;
}

void take_pod_level(View list, Amounts& amounts) {
  for (auto& [name, quantity] : read_amounts(list)) {
    if (kinds::pods::is_pod_level_resource(name)) amounts.insert_or_assign(name, quantity);
  }
}

}  // namespace pod_amounts

bool has_pod_level_resources(api::View spec) {
  return pod_amounts::has_pod_level(spec["resources"]["requests"]) ||
         pod_amounts::has_pod_level(spec["resources"]["limits"]);
}

PodAmounts amounts_of_pod(api::View pod) {
  std::optional<json::Document> running;
  api::View spec = pod["spec"];
  const pod_amounts::Statuses statuses = pod_amounts::statuses_of(pod);
  if (spec.is(json::Kind::kObject) && !statuses.empty()) {
    running = pod_amounts::effective_spec(pod, statuses);
    spec = running->root();
  }
  PodAmounts amounts{.requests = pod_amounts::sum_of(spec, pod_amounts::Bound::kRequests),
                     .limits = pod_amounts::sum_of(spec, pod_amounts::Bound::kLimits)};
  pod_amounts::take_pod_level(spec["resources"]["requests"], amounts.requests);
  pod_amounts::take_pod_level(spec["resources"]["limits"], amounts.limits);
  const Amounts overhead = read_amounts(spec["overhead"]);
  add(amounts.requests, overhead);
  // An absent limit stays absent.
  for (const auto& [name, quantity] : overhead) {
    const auto limit = amounts.limits.find(name);
    if (limit != amounts.limits.end() && !limit->second.is_zero()) limit->second += quantity;
  }
  return amounts;
}

}  // namespace proa::kinds::quota
