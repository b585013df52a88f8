#include "kinds/core/pods/subresources.h"

#include <fmt/format.h>

#include <map>

#include "api/validation/go_text.h"
#include "kinds/checks/difference.h"
#include "kinds/core/pods/pod.h"
#include "kinds/core/pods/spec/annotations.h"
#include "kinds/core/resources/resources.h"

namespace proa::kinds {

namespace subresources {

using api::Edit;
using api::FieldErrors;
using api::Path;

constexpr std::string_view kContainerLists[] = {"containers", "initContainers"};

// All metadata except labels and annotations, which are kept too. Fields that the server maintains
// are already set.
void keep_metadata(Edit pod, View old) {
  const Edit metadata = pod.object("metadata");
  for (const std::string_view field : {"deletionTimestamp", "deletionGracePeriodSeconds", "labels",
                                       "annotations", "finalizers", "ownerReferences"}) {
    metadata.copy(field, old["metadata"][field]);
  }
}

json::Value copy_of(View spec, json::Arena& arena) {
  return spec.exists() ? spec.value()->copy(arena) : json::Value::object();
}

bool same_names(View list, View old) {
  if (list.size() != old.size()) return false;
  for (size_t i = 0; i < list.size(); ++i)
    if (list.item(i)["name"].text() != old.item(i)["name"].text()) return false;
  return true;
}

void check_order(View spec, View old, std::string_view list, const Path& path,
                 FieldErrors& errors) {
  const Path list_path = path.field(list);
  if (spec[list].size() != old[list].size()) {
    errors.forbidden(list_path, fmt::format("{} may not be added or removed on resize", list));
    return;
  }
  for (size_t i = 0; i < old[list].size(); ++i) {
    if (spec[list].item(i)["name"].text() == old[list].item(i)["name"].text()) continue;
    const Path item = list_path.index(i);
    errors.forbidden(item.field("name"),
                     fmt::format("{} may not be renamed or reordered on resize", list));
  }
}

bool any_missing(View list, View old) {
  for (const json::Member& amount : old.members())
    if (!list[amount.key].exists()) return true;
  return false;
}

// Amounts may change but not be removed.
void check_none_removed(View resources, View old, std::string_view prefix, const Path& path,
                        FieldErrors& errors) {
  for (const std::string_view list : {"requests", "limits"}) {
    if (any_missing(resources[list], old[list])) {
      errors.forbidden(path.field(list),
                       fmt::format("{}resource {} cannot be removed", prefix, list));
    }
  }
}

// A copy with the old cpu and memory: everything else must be unchanged.
void put_back_amounts(Edit owner, View old) {
  const View old_resources = old["resources"];
  if (!owner["resources"].exists() && !old_resources.exists()) return;
  const Edit resources = owner.object("resources");
  for (const std::string_view list : {"requests", "limits"}) {
    const Edit amounts = resources.object(list);
    for (const std::string_view name : {"cpu", "memory"})
      amounts.copy(name, old_resources[list][name]);
    if (amounts.view().empty()) resources.remove(list);
  }
  if (resources.view().empty() && !old_resources.exists()) owner.remove("resources");
}

void check_restarts(View container, const Path& path, FieldErrors& errors) {
  for (const View policy : container["resizePolicy"].items()) {
    if (policy["restartPolicy"].text() == "RestartContainer") {
      errors.forbidden(path,
                       "non-sidecar init containers with a resize policy of RestartContainer "
                       "cannot be resized");
    }
  }
}

void check_containers(Edit spec, View old, const Path& path, FieldErrors& errors) {
  for (const std::string_view list : kContainerLists) {
    if (!spec.has(list)) continue;
    const bool init = list == "initContainers";
    const Path list_path = path.field(list);
    for (size_t i = 0; i < spec[list].size(); ++i) {
      const Edit container = spec.existing(list).item(i);
      const View before = old[list].item(i);
      const Path item = list_path.index(i);
      check_none_removed(container["resources"], before["resources"], "", item.field("resources"),
                         errors);
      const bool changed = !semantically_equal(container.view(), before);
      put_back_amounts(container, before);
      if (!semantically_equal(container.view(), before)) {
        errors.forbidden(init ? item : path,
                         init ? "only cpu and memory resources for init or sidecar containers are "
                                "mutable"
                              : "only cpu and memory resources are mutable");
      }
      if (init && changed && !pods::is_sidecar(before)) check_restarts(before, item, errors);
    }
  }
}

void check_pod_level(Edit spec, View old, const Path& path, FieldErrors& errors) {
  const View resources = spec["resources"];
  const auto is_set = [](View given) {
    return !given["requests"].empty() || !given["limits"].empty();
  };
  if (!is_set(resources) && !is_set(old["resources"])) return;
  const Path at = path.field("resources");
  if (old["resources"].exists() && !resources.exists())
    return errors.forbidden(at, "pod-level resources cannot be removed");
  check_none_removed(resources, old["resources"], "pod-level ", at, errors);
  put_back_amounts(spec, old);
  if (!semantically_equal(spec["resources"], old["resources"]))
    errors.forbidden(path, "only cpu and memory resources are mutable at pod-level");
}

// The first running container shows whether the node reports actual resources.
bool node_resizes(View pod) {
  for (const View container : pod["status"]["containerStatuses"].items())
    if (container["state"]["running"].exists()) return container["resources"].exists();
  return true;
}

std::string_view quality_of(View pod) {
  const std::string_view given = pod["status"]["qosClass"].text();
  return given.empty() ? pods::quality_of_service(pod["spec"]) : given;
}

}  // namespace subresources

void prepare_ephemeral_containers_update(api::Edit pod, View old) {
  const json::Value* sent = pod["spec"]["ephemeralContainers"].value();
  json::Value containers = sent == nullptr ? json::Value() : sent->copy(pod.arena());
  pod.copy("spec", old["spec"]);
  pod.copy("status", old["status"]);
  subresources::keep_metadata(pod, old);
  const api::Edit spec = pod.object("spec");
  if (containers.is_null()) {
    spec.remove("ephemeralContainers");
  } else {
    spec.set("ephemeralContainers", std::move(containers));
  }
}

void validate_ephemeral_containers_update(View pod, View old, api::FieldErrors& errors) {
  if (pods::is_mirror_pod(old)) {
    return errors.forbidden(api::Path(), "static pods do not support ephemeral containers");
  }
  pods::validate_pod(pod, errors);
  std::map<std::string_view, View> now;
  for (const View container : pod["spec"]["ephemeralContainers"].items())
    now.insert_or_assign(container["name"].text(), container);
  const api::Path path("spec.ephemeralContainers");
  for (const View before : old["spec"]["ephemeralContainers"].items()) {
    const std::string_view name = before["name"].text();
    const auto found = now.find(name);
    if (found == now.end()) {
      errors.forbidden(path, fmt::format("existing ephemeral containers {} may not be removed\n",
                                         api::quoted(name)));
    } else if (!semantically_equal(before, found->second)) {
      errors.forbidden(
          path,
          fmt::format("existing ephemeral containers {} may not be changed\n{}", api::quoted(name),
                      describe_difference(before, found->second, "EphemeralContainer")));
    }
  }
}

void prepare_resize(api::Edit pod, View old) {
  const View old_spec = old["spec"];
  for (const std::string_view list : subresources::kContainerLists)
    if (!subresources::same_names(pod["spec"][list], old_spec[list])) return;
  json::Value sent = subresources::copy_of(pod["spec"], pod.arena());
  const View wanted(sent);
  pod.copy("spec", old_spec);
  pod.copy("status", old["status"]);
  subresources::keep_metadata(pod, old);
  const api::Edit spec = pod.object("spec");
  spec.copy("resources", wanted["resources"]);
  for (const std::string_view list : subresources::kContainerLists) {
    if (!spec.has(list)) continue;
    const api::Edit containers = spec.existing(list);
    for (size_t i = 0; i < containers.size(); ++i) {
      for (const std::string_view field : {"resources", "resizePolicy"})
        containers.item(i).copy(field, wanted[list].item(i)[field]);
    }
  }
}

void validate_resize(View pod, View old, api::FieldErrors& errors) {
  if (pods::is_mirror_pod(old))
    return errors.forbidden(api::Path(), "static pods cannot be resized");
  if (old["spec"]["os"]["name"].text() == "windows")
    return errors.forbidden(api::Path(), "windows pods cannot be resized");
  pods::validate_pod(pod, errors);
  const api::Path path("spec");
  const View old_spec = old["spec"];
  if (subresources::quality_of(old) != pods::quality_of_service(pod["spec"])) {
    errors.invalid(path, pod["status"]["qosClass"].text(),
                   "Pod QOS Class may not change as a result of resizing");
  }
  if (!subresources::node_resizes(old))
    errors.forbidden(path, "Pod running on node without support for resize");

  json::Arena arena;
  json::Value copy = subresources::copy_of(pod["spec"], arena);
  const api::Edit spec(arena, copy);
  subresources::check_pod_level(spec, old_spec, path, errors);
  const size_t before = errors.size();
  for (const std::string_view list : subresources::kContainerLists)
    subresources::check_order(spec.view(), old_spec, list, path, errors);
  if (errors.size() != before) return;
  subresources::check_containers(spec, old_spec, path, errors);
  if (errors.empty() && !semantically_equal(spec.view(), old_spec))
    errors.forbidden(path, "only cpu and memory resources are mutable");
}

}  // namespace proa::kinds
