#include "kinds/core/pods/changes/update.h"

#include <fmt/format.h>

#include <limits>
#include <set>

#include "api/object/edit.h"
#include "kinds/checks/difference.h"
#include "kinds/core/pods/spec/annotations.h"

namespace proa::kinds::pods {

namespace update {

using api::Edit;

constexpr std::string_view kMayChange =
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

// Whether the number of containers is unchanged.
bool check_count(View spec, View old, std::string_view list, const Path& path,
                 FieldErrors& errors) {
  if (spec[list].size() == old[list].size()) return true;
  errors.forbidden(path.field(list), "pod updates may not add or remove containers");
  return false;
}

// Whether validation should continue.
bool check_deadline(View deadline, View old, const Path& path, FieldErrors& errors) {
  if (!deadline.exists()) {
    if (old.exists())
      errors.invalid(path, deadline, "must not update from a positive integer to nil value");
    return true;
  }
  const size_t before = errors.size();
  check_range(deadline, 0, std::numeric_limits<int32_t>::max(), path, errors);
  if (errors.size() == before && old.exists() && old.integer() < deadline.integer())
    errors.invalid(path, deadline.integer(), "must be less than or equal to previous value");
  return errors.size() == before;
}

// The key of a toleration: everything except tolerationSeconds.
std::string toleration_key(View toleration) {
  return fmt::format("{}\n{}\n{}\n{}", toleration["key"].text(), toleration["operator"].text(),
                     toleration["value"].text(), toleration["effect"].text());
}

void check_tolerations(View tolerations, View old, const Path& path, FieldErrors& errors) {
  std::set<std::string> kept;
  for (const View toleration : tolerations.items()) kept.insert(toleration_key(toleration));
  for (const View toleration : old.items()) {
    if (kept.contains(toleration_key(toleration))) continue;
    errors.forbidden(path, "existing toleration can not be modified except its tolerationSeconds");
    return;
  }
}

void check_scheduling_gates(View gates, View old, const Path& path, FieldErrors& errors) {
  std::set<std::string_view> known;
  for (const View gate : old.items()) known.insert(gate["name"].text());
  each(gates, path, [&](View gate, const Path& at) {
    const std::string_view name = gate["name"].text();
    if (!known.contains(name)) {
      errors.forbidden(
          at.field("name"),
          fmt::format("only deletion is allowed, but found new scheduling gate '{}'", name));
    }
  });
}

void check_node_selector(View selector, View old, const Path& path, FieldErrors& errors) {
  for (const json::Member& label : old.members()) {
    if (selector[label.key] == View(label.value)) continue;
    errors.invalid(path, selector,
                   "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
    return;
  }
}

bool starts_with(View list, View start) {
  if (list.size() < start.size()) return false;
  for (size_t i = 0; i < start.size(); ++i)
    if (!semantically_equal(list.item(i), start.item(i))) return false;
  return true;
}

// All requirements of a term must match, so additional ones narrow it. But an empty term matches
// nothing, so the first requirement would widen it.
bool only_narrows(View term, View old) {
  const bool was_empty = old["matchExpressions"].empty() && old["matchFields"].empty();
  if (was_empty) return term["matchExpressions"].empty() && term["matchFields"].empty();
  return starts_with(term["matchExpressions"], old["matchExpressions"]) &&
         starts_with(term["matchFields"], old["matchFields"]);
}

void check_node_affinity(View affinity, View old, const Path& path, FieldErrors& errors) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  const View terms = affinity[kRequired]["nodeSelectorTerms"];
  const View old_terms = old[kRequired]["nodeSelectorTerms"];
  const Path required = path.field(kRequired);
  const Path terms_path = required.field("nodeSelectorTerms");
  if (old_terms.empty()) return;
  if (terms.size() != old_terms.size()) {
    errors.invalid(terms_path, terms,
                   "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
    return;
  }
  for (size_t i = 0; i < terms.size(); ++i) {
    if (!only_narrows(terms.item(i), old_terms.item(i))) {
      errors.invalid(terms_path.index(i), terms.item(i),
                     "only additions are allowed (no mutations or deletions)");
    }
  }
}

void take_images(Edit spec, View old, std::string_view list) {
  if (!spec.has(list)) return;
  const Edit containers = spec.existing(list);
  for (size_t i = 0; i < containers.size(); ++i)
    containers.item(i).copy("image", old[list].item(i)["image"]);
}

// While a pod has scheduling gates, constraints that narrow the set of nodes may be added.
void allow_narrowing(Edit spec, View old, const Path& path, FieldErrors& errors) {
  if (!semantically_equal(spec["nodeSelector"], old["nodeSelector"])) {
    check_node_selector(spec["nodeSelector"], old["nodeSelector"], path.field("nodeSelector"),
                        errors);
    spec.copy("nodeSelector", old["nodeSelector"]);
  }
  const View node = spec["affinity"]["nodeAffinity"];
  const View old_node = old["affinity"]["nodeAffinity"];
  if (semantically_equal(node, old_node)) return;
  check_node_affinity(node, old_node, path.field("affinity.nodeAffinity"), errors);
  const Edit affinity = spec.object("affinity");
  affinity.copy("nodeAffinity", old_node);
  if (affinity.view().empty() && !old["affinity"].exists()) spec.remove("affinity");
}

}  // namespace update

void validate_pod_update(View pod, View old_pod, FieldErrors& errors) {
  const Path metadata_path("metadata");
  validate_special_annotations_update(pod["metadata"]["annotations"],
                                      old_pod["metadata"]["annotations"],
                                      metadata_path.field("annotations"), errors);
  const View spec = pod["spec"];
  const View old = old_pod["spec"];
  const Path path("spec");
  for (const std::string_view list : {"containers", "initContainers"})
    if (!update::check_count(spec, old, list, path, errors)) return;
  if (!update::check_deadline(spec["activeDeadlineSeconds"], old["activeDeadlineSeconds"],
                              path.field("activeDeadlineSeconds"), errors)) {
    return;
  }
  update::check_tolerations(spec["tolerations"], old["tolerations"], path.field("tolerations"),
                            errors);
  update::check_scheduling_gates(spec["schedulingGates"], old["schedulingGates"],
                                 path.field("schedulingGates"), errors);
  if (semantically_equal(spec, old)) return;

  // Resets the mutable fields to the old values; the rest must be unchanged.
  json::Arena arena;
  json::Value copy = spec.exists() ? spec.value()->copy(arena) : json::Value::object();
  const api::Edit rest(arena, copy);
  for (const std::string_view list : {"containers", "initContainers"})
    update::take_images(rest, old, list);
  for (const std::string_view field : {"activeDeadlineSeconds", "schedulingGates", "tolerations"})
    rest.copy(field, old[field]);
  if (old["terminationGracePeriodSeconds"].integer() < 0 &&
      spec["terminationGracePeriodSeconds"].integer() == 1) {
    rest.copy("terminationGracePeriodSeconds", old["terminationGracePeriodSeconds"]);
  }
  if (!old["schedulingGates"].empty()) update::allow_narrowing(rest, old, path, errors);
  if (!semantically_equal(rest.view(), old)) {
    errors.forbidden(
        path, fmt::format("pod updates may not change fields other than {}\n{}", update::kMayChange,
                          describe_difference(old, rest.view(), "PodSpec")));
  }
}

}  // namespace proa::kinds::pods
