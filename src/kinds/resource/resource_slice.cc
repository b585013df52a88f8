#include "kinds/resource/resource_slice.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/validation/go_text.h"
#include "api/validation/metadata.h"
#include "base/strings.h"
#include "kinds/checks/drivers.h"
#include "kinds/resource/device.h"
#include "kinds/resource/device_names.h"

namespace proa::kinds {

namespace resource_slice {

constexpr size_t kMaxDevices = 128;
// The limit for devices with taints or counters, which are more expensive to process.
constexpr size_t kMaxComplexDevices = 64;
constexpr size_t kMaxCounterSets = 8;

// Gates DRANodeAllocatableResources and DRAListTypeAttributes are off.
constexpr std::string_view kGatedLists[] = {"ints", "bools", "strings", "versions"};

void prepare_device(api::Edit device, Time now) {
  device.remove("nodeAllocatableResourceMappings");
  if (!device["attributes"].empty()) {
    const api::Edit attributes = device.existing("attributes");
    for (const json::Member& member : attributes.view().members()) {
      for (const std::string_view name : kGatedLists) {
        attributes.existing(member.key).remove(name);
      }
    }
  }
  if (device["taints"].empty()) return;
  const api::Edit taints = device.existing("taints");
  for (size_t i = 0; i < taints.size(); ++i) {
    taints.item(i).set_default("timeAdded", format_time(now));
  }
}

void prepare_create(api::Edit object, const Writer& writer) {
  if (object["spec"]["devices"].empty()) return;
  const api::Edit devices = object.existing("spec").existing("devices");
  for (size_t i = 0; i < devices.size(); ++i) prepare_device(devices.item(i), writer.now);
}

void prepare_update(api::Edit object, View, const Writer& writer) {
  prepare_create(object, writer);
}

void validate_pool(View pool, const api::Path& path, api::FieldErrors& errors) {
  devices::validate_pool_name(pool["name"], path.field("name"), errors);
  if (pool["resourceSliceCount"].integer() <= 0) {
    errors.invalid(path.field("resourceSliceCount"), pool["resourceSliceCount"].integer(),
                   "must be greater than zero");
  }
  if (pool["generation"].integer() < 0) {
    errors.invalid(path.field("generation"), pool["generation"],
                   "must be greater than or equal to zero");
  }
}

void validate_nodes(View spec, const api::Path& path, api::FieldErrors& errors) {
  devices::Placement placement;
  placement.read(spec, path, "must be either unset or set to a non-empty string", errors);
  const View terms = spec["nodeSelector"]["nodeSelectorTerms"];
  if (spec["nodeSelector"] && terms.size() != 1) {
    errors.invalid(path.field("nodeSelector.nodeSelectorTerms"), terms,
                   "must have exactly one node selector term");
  }
  if (placement.set.empty()) {
    errors.required(path,
                    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, "
                    "`perDeviceNodeSelection` is required");
  } else if (placement.set.size() > 1) {
    errors.invalid(path, placement.str(),
                   "exactly one of `nodeName`, `nodeSelector`, `allNodes`, "
                   "`perDeviceNodeSelection` is required, but multiple fields are set");
  }
}

bool is_complex(View devices) {
  const auto items = devices.items();
  return std::any_of(items.begin(), items.end(), [](const json::Value& device) {
    return !View(device)["taints"].empty() || !View(device)["consumesCounters"].empty();
  });
}

void validate_counter_set(View set, const api::Path& path, api::FieldErrors& errors) {
  if (require_text(set, "name", path, errors)) {
    devices::validate_label_name(set["name"], path.field("name"), errors);
  }
  devices::validate_counters(set["counters"], path.field("counters"), errors);
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  validate_driver_name(spec["driver"], path.field("driver"), errors);
  validate_pool(spec["pool"], path.field("pool"), errors);
  validate_nodes(spec, path, errors);
  if (!spec["sharedCounters"].empty() && !spec["devices"].empty()) {
    errors.invalid(path, "", "only one of `sharedCounters` or `devices` is allowed");
  }
  const bool selects_nodes = spec["perDeviceNodeSelection"].flag();
  const auto check_device = [&](View device, const api::Path& at) {
    devices::validate_device(device, selects_nodes, at, errors);
  };
  devices::validate_distinct(spec["devices"],
                             is_complex(spec["devices"]) ? kMaxComplexDevices : kMaxDevices,
                             path.field("devices"), errors, check_device, devices::name_of);
  const auto check_set = [&](View set, const api::Path& at) {
    validate_counter_set(set, at, errors);
  };
  devices::validate_distinct(spec["sharedCounters"], kMaxCounterSets, path.field("sharedCounters"),
                             errors, check_set, devices::name_of);
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  const View spec = object["spec"];
  const View before = old["spec"];
  api::validate_immutable(spec["pool"]["name"], before["pool"]["name"], api::Path("spec.pool.name"),
                          errors);
  api::validate_immutable(spec["driver"], before["driver"], api::Path("spec.driver"), errors);
  api::validate_immutable(spec["nodeName"], before["nodeName"], api::Path("spec.nodeName"), errors);
}

void warn(View object, View, Warnings& warnings) {
  const std::string_view driver = object["spec"]["driver"].text();
  if (driver == to_lower(driver)) return;
  warnings.push_back(
      fmt::format("spec.driver: driver names should be lowercase; {} contains uppercase characters",
                  api::quoted(driver)));
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Node", .description = "The node that has the devices."},
    {.name = "Driver", .description = "The driver that offers them."},
    {.name = "Pool", .description = "The pool that they belong to."},
    {.name = "Age"},
};

void row(View object, Cells& cells) {
  const View spec = object["spec"];
  cells.text(object["metadata"]["name"].text());
  cells.text(spec["nodeName"].text());
  cells.text(spec["driver"].text());
  cells.text(spec["pool"]["name"].text());
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace resource_slice

KindRules resource_slice_rules() {
  return {.kind = "resource.k8s.io/v1/ResourceSlice",
          .prepare_create = resource_slice::prepare_create,
          .prepare_update = resource_slice::prepare_update,
          .validate = resource_slice::validate,
          .validate_update = resource_slice::validate_update,
          .update_comes_first = true,
          .warn = resource_slice::warn,
          .columns = resource_slice::kColumns,
          .row = resource_slice::row};
}

}  // namespace proa::kinds
