#include "kinds/storage/storage_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/validation/metadata.h"
#include "kinds/checks/drivers.h"
#include "kinds/checks/fields.h"
#include "kinds/core/placement/node_labels.h"

namespace proa::kinds {

namespace storage_class {

constexpr std::string_view kImmutable[] = {"parameters", "provisioner", "reclaimPolicy",
                                           "volumeBindingMode"};

// A term in a canonical order.
using Topology = std::map<std::string_view, std::set<std::string_view>>;

Topology validate_term(View term, const api::Path& path, api::FieldErrors& errors) {
  Topology topology;
  const api::Path expressions_path = path.field("matchLabelExpressions");
  each(term["matchLabelExpressions"], expressions_path, [&](View expression, const api::Path& at) {
    std::set<std::string_view> values;
    const api::Path values_path = at.field("values");
    if (expression["values"].empty()) errors.required(values_path);
    each(expression["values"], values_path, [&](View value, const api::Path& spot) {
      if (!values.insert(value.text()).second) errors.duplicate(spot, value);
    });
    const std::string_view key = expression["key"].text();
    const api::Path key_path = at.field("key");
    errors.invalid_each(key_path, key, api::check_qualified_name(key));
    if (topology.contains(key)) errors.duplicate(key_path, key);
    topology[key] = std::move(values);
  });
  return topology;
}

void validate_topologies(View terms, const api::Path& path, api::FieldErrors& errors) {
  std::set<Topology> seen;
  each(terms, path, [&](View term, const api::Path& at) {
    Topology topology = validate_term(term, at, errors);
    // As upstream, an empty term also counts as a duplicate.
    if (topology.empty() || seen.contains(topology))
      errors.duplicate(at.field("matchLabelExpressions"), "");
    seen.insert(std::move(topology));
  });
}

void validate(View object, api::FieldErrors& errors) {
  validate_provisioner(object["provisioner"], api::Path("provisioner"), errors);
  validate_parameters(object["parameters"], api::Path("parameters"), errors);
  if (!object["reclaimPolicy"].text().empty()) {
    check_one_of(object["reclaimPolicy"], {"Delete", "Retain"}, api::Path("reclaimPolicy"), errors);
  }
  const api::Path mode_path("volumeBindingMode");
  if (!object["volumeBindingMode"]) errors.required(mode_path);
  check_one_of(object["volumeBindingMode"], {"Immediate", "WaitForFirstConsumer"}, mode_path,
               errors);
  validate_topologies(object["allowedTopologies"], api::Path("allowedTopologies"), errors);
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  for (const std::string_view field : kImmutable) {
    if (object[field].empty() && old[field].empty() && field == "parameters") continue;
    api::validate_immutable(object[field], old[field], api::Path(field), errors);
  }
}

void warn(View object, View, Warnings& warnings) {
  const api::Path path("allowedTopologies");
  each(object["allowedTopologies"], path, [&](View term, const api::Path& at) {
    const api::Path expressions = at.field("matchLabelExpressions");
    each(term["matchLabelExpressions"], expressions, [&](View expression, const api::Path& spot) {
      const std::string_view advice = deprecated_node_label(expression["key"].text());
      if (!advice.empty())
        warnings.push_back(fmt::format("{}: {}", spot.field("key").str(), advice));
    });
  });
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Provisioner", .description = "Who makes the volumes."},
    {.name = "ReclaimPolicy", .description = "What becomes of volumes when their claim is gone."},
    {.name = "VolumeBindingMode", .description = "Whether a volume waits for its first pod."},
    {.name = "AllowVolumeExpansion", .description = "Whether volumes can grow."},
    {.name = "Age"},
};

bool is_default(View annotations) {
  return annotations["storageclass.kubernetes.io/is-default-class"].text() == "true" ||
         annotations["storageclass.beta.kubernetes.io/is-default-class"].text() == "true";
}

void row(View object, Cells& cells) {
  std::string name(object["metadata"]["name"].text());
  if (is_default(object["metadata"]["annotations"])) name += " (default)";
  cells.text(name);
  cells.text(object["provisioner"].text());
  cells.text(object["reclaimPolicy"].text("Delete"));
  cells.text(object["volumeBindingMode"].text("Immediate"));
  cells.flag(object["allowVolumeExpansion"].flag());
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace storage_class

KindRules storage_class_rules() {
  return {.kind = "storage.k8s.io/v1/StorageClass",
          .metadata = {.update = "MU"},
          .validate = storage_class::validate,
          .validate_update = storage_class::validate_update,
          .warn = storage_class::warn,
          .columns = storage_class::kColumns,
          .row = storage_class::row};
}

}  // namespace proa::kinds
