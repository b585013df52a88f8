#include "kinds/storage/csi_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/validation/metadata.h"
#include "kinds/checks/drivers.h"
#include "kinds/checks/fields.h"

namespace proa::kinds {

namespace csi_node {

constexpr size_t kMaxNodeIdBytes = 256;

void validate_driver(View driver, const api::Path& path, api::FieldErrors& errors) {
  validate_driver_name(driver["name"], path.field("name"), errors);
  const std::string_view id = driver["nodeID"].text();
  if (id.empty()) errors.required(path.field("nodeID"));
  if (id.size() > kMaxNodeIdBytes) {
    errors.invalid(path.field("nodeID"), id,
                   fmt::format("must be {} characters or less", kMaxNodeIdBytes));
  }
  api::validate_non_negative(driver["allocatable"]["count"], path.field("allocatable.count"),
                             errors);
}

void validate_topology_keys(View keys, const api::Path& path, api::FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (const View key : keys.items()) {
    if (key.text().empty()) errors.required(path);
    if (!seen.insert(key.text()).second) errors.duplicate(path, key);
    errors.invalid_each(path, key.text(), api::check_qualified_name(key.text()));
  }
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec.drivers");
  std::set<std::string_view> names;
  each(object["spec"]["drivers"], path, [&](View driver, const api::Path& at) {
    validate_driver(driver, at, errors);
    const std::string_view name = driver["name"].text();
    if (!names.insert(name).second) errors.duplicate(at.field("name"), name);
    validate_topology_keys(driver["topologyKeys"], at, errors);
  });
}

bool same_driver(View driver, View old) {
  if (driver["nodeID"].text() != old["nodeID"].text()) return false;
  const auto keys = driver["topologyKeys"].items();
  const auto before = old["topologyKeys"].items();
  return std::equal(keys.begin(), keys.end(), before.begin(), before.end());
}

// Immutable, except for the volume count, by gate MutableCSINodeAllocatableCount (on).
void validate_update(View object, View old, api::FieldErrors& errors) {
  std::multimap<std::string_view, View> drivers;
  for (const View driver : object["spec"]["drivers"].items())
    drivers.emplace(driver["name"].text(), driver);
  // Names of stored drivers are unique.
  for (const View before : old["spec"]["drivers"].items()) {
    const auto [first, last] = drivers.equal_range(before["name"].text());
    for (auto driver = first; driver != last; ++driver) {
      if (!same_driver(driver->second, before))
        errors.invalid(api::Path("spec.drivers"), driver->second, "field is immutable");
    }
  }
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Drivers", .type = "integer", .description = "How many drivers run there."},
    {.name = "Age"},
};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.number(static_cast<int64_t>(object["spec"]["drivers"].size()));
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace csi_node

KindRules csi_node_rules() {
  return {.kind = "storage.k8s.io/v1/CSINode",
          .metadata = {.update = "M"},
          .validate = csi_node::validate,
          .validate_update = csi_node::validate_update,
          .columns = csi_node::kColumns,
          .row = csi_node::row};
}

}  // namespace proa::kinds
