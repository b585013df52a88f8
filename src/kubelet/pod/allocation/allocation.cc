#include "kubelet/pod/allocation/allocation.h"

#include <array>

#include "api/object/edit.h"
#include "kinds/core/resources/resources.h"
#include "kubelet/model/status_fields.h"
#include "kubelet/pod/allocation/bounds.h"

namespace proa::kubelet {
namespace allocation {

using api::Edit;
using api::View;
using kinds::pods::read_amounts;

constexpr std::array<std::string_view, 2> kLists = {"initContainers", "containers"};
constexpr std::array<std::string_view, 2> kResizable = {"cpu", "memory"};

bool is_same(View a, View b) {
  if (a == b) return true;
  return read_amounts(a["requests"]) == read_amounts(b["requests"]) &&
         read_amounts(a["limits"]) == read_amounts(b["limits"]);
}

View find(View containers, std::string_view name) {
  for (const View container : containers.items()) {
    if (container["name"].text() == name) return container;
  }
  return {};
}

// For each container, with its list.
template <typename Visit>
void for_each_container(Edit spec, Visit visit) {
  for (const std::string_view list : kLists) {
    if (!spec.has(list)) continue;
    const Edit containers = spec.existing(list);
    for (size_t index = 0; index < containers.size(); ++index) visit(list, containers.item(index));
  }
}

void take_larger(Edit item, View other) {
  for (const std::string_view name : kResizable) {
    const View theirs = other["resources"]["requests"][name];
    if (amount_in(item["resources"]["requests"], name) >=
        amount_in(other["resources"]["requests"], name))
      continue;
    item.object("resources").object("requests").copy(name, theirs);
  }
}

void take_told(Edit container, View told) {
  if (!told["resources"]) return;
  const Edit resources = container.object("resources");
  for (const std::string_view name : kResizable) {
    resources.object("requests").copy(name, told["allocatedResources"][name]);
    resources.object("limits").copy(name, told["resources"]["limits"][name]);
  }
  for (const std::string_view list : {"requests", "limits"}) {
    if (resources[list].empty()) resources.remove(list);
  }
}

// The status counts the overhead, too.
void take_told_amounts(Edit list, View told, View overhead) {
  for (const std::string_view name : kResizable) {
    if (!list.has(name) || !told[name]) continue;
    list.set(name, (amount_in(told, name) - amount_in(overhead, name)).str());
  }
}

void take_told_of_pod(Edit spec, View status) {
  if (!spec.has("resources")) return;
  const Edit resources = spec.existing("resources");
  const View overhead = spec["overhead"];
  if (resources.has("requests")) {
    take_told_amounts(resources.existing("requests"), status["allocatedResources"], overhead);
  }
  if (resources.has("limits")) {
    take_told_amounts(resources.existing("limits"), status["resources"]["limits"], overhead);
  }
}

}  // namespace allocation

bool has_same_resources(const Pod& a, const Pod& b) {
  if (!allocation::is_same(a.spec()["resources"], b.spec()["resources"])) return false;
  for (const std::string_view list : allocation::kLists) {
    for (const api::View container : a.spec()[list].items()) {
      const api::View other = allocation::find(b.spec()[list], container["name"].text());
      if (other && !allocation::is_same(container["resources"], other["resources"])) return false;
    }
  }
  return true;
}

PodPtr with_resources_of(const PodPtr& pod, const Pod& other) {
  if (has_same_resources(*pod, other)) return pod;
  json::Document document = pod->copy_document();
  const api::Edit spec = api::Edit(document).object("spec");
  spec.copy("resources", other.spec()["resources"]);
  allocation::for_each_container(spec, [&other](std::string_view list, api::Edit container) {
    const api::View found = allocation::find(other.spec()[list], container["name"].text());
    if (found) container.copy("resources", found["resources"]);
  });
  return pod->with_document(std::move(document));
}

PodPtr with_larger_requests(const PodPtr& pod, const Pod& other) {
  json::Document document = pod->copy_document();
  const api::Edit spec = api::Edit(document).object("spec");
  if (spec.has("resources")) allocation::take_larger(spec, other.spec());
  allocation::for_each_container(spec, [&other](std::string_view list, api::Edit container) {
    allocation::take_larger(container,
                            allocation::find(other.spec()[list], container["name"].text()));
  });
  return pod->with_document(std::move(document));
}

PodPtr allocated_by_status(const PodPtr& pod) {
  const api::View status = pod->status();
  const bool put_off = find_condition(status, "PodResizePending")["status"].text() == "True";
  const bool seen = status["observedGeneration"].integer() >= pod->generation();
  if (pod->is_static() || !status["observedGeneration"] || (seen && !put_off)) return pod;
  json::Document document = pod->copy_document();
  const api::Edit spec = api::Edit(document).object("spec");
  allocation::take_told_of_pod(spec, status);
  allocation::for_each_container(spec, [&status](std::string_view list, api::Edit container) {
    const api::View statuses =
        status[list == "containers" ? "containerStatuses" : "initContainerStatuses"];
    allocation::take_told(container, find_container_status(statuses, container["name"].text()));
  });
  const PodPtr told = pod->with_document(std::move(document));
  return has_same_resources(*pod, *told) ? pod : told;
}

}  // namespace proa::kubelet
