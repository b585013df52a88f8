#include "kinds/core/nodes/node.h"

#include <fmt/format.h>

#include <set>

#include "base/net/ip_address.h"
#include "base/strings.h"
#include "kinds/checks/addresses.h"
#include "kinds/checks/fields.h"
#include "kinds/core/nodes/node_config.h"
#include "kinds/core/resources/validation.h"

namespace proa::kinds {

namespace node {

using api::FieldErrors;
using api::Path;

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Status"},
    {.name = "Roles"},
    {.name = "Age"},
    {.name = "Version"},
    {.name = "Internal-IP", .priority = 1},
    {.name = "External-IP", .priority = 1},
    {.name = "OS-Image", .priority = 1},
    {.name = "Kernel-Version", .priority = 1},
    {.name = "Container-Runtime", .priority = 1},
};

std::string status_text(View object) {
  std::string text = "Unknown";
  for (const View condition : object["status"]["conditions"].items()) {
    if (condition["type"].text() != "Ready") continue;
    text = condition["status"].text() == "True" ? "Ready" : "NotReady";
  }
  if (object["spec"]["unschedulable"].flag()) text += ",SchedulingDisabled";
  return text;
}

std::string roles_text(View object) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string_view> roles;
  for (const json::Member& label : object["metadata"]["labels"].members()) {
    std::string_view role;
    if (label.key.starts_with(kPrefix)) {
      role = label.key.substr(kPrefix.size());
    } else if (label.key == "kubernetes.io/role") {
      role = View(label.value).text();
    }
    if (!role.empty()) roles.insert(role);
  }
  if (roles.empty()) return "<none>";
  return join(std::vector<std::string_view>(roles.begin(), roles.end()), ",");
}

std::string_view address_of_type(View object, std::string_view type) {
  for (const View address : object["status"]["addresses"].items()) {
    if (address["type"].text() == type) return address["address"].text();
  }
  return "<none>";
}

std::string_view text_or_unknown(View text) {
  return text.text().empty() ? "<unknown>" : text.text();
}

void row(View object, Cells& cells) {
  const View info = object["status"]["nodeInfo"];
  cells.text(object["metadata"]["name"].text());
  cells.text(status_text(object));
  cells.text(roles_text(object));
  cells.age(object["metadata"]["creationTimestamp"]);
  cells.text(info["kubeletVersion"].text());
  cells.text(address_of_type(object, "InternalIP"));
  cells.text(address_of_type(object, "ExternalIP"));
  cells.text(text_or_unknown(info["osImage"]));
  std::string kernel(text_or_unknown(info["kernelVersion"]));
  if (!info["architecture"].text().empty()) {
    kernel += fmt::format(" ({})", info["architecture"].text());
  }
  cells.text(kernel);
  cells.text(text_or_unknown(info["containerRuntimeVersion"]));
}

// configSource and config belong to a removed feature: existing values are kept.
void prepare_create(api::Edit object, const Writer&) {
  if (object["spec"]["configSource"]) object.existing("spec").remove("configSource");
  if (object["status"]["config"]) object.existing("status").remove("config");
}

void prepare_update(api::Edit object, View old, const Writer&) {
  if (object["spec"]["configSource"] && !old["spec"]["configSource"]) {
    object.existing("spec").remove("configSource");
  }
}

void prepare_status_update(api::Edit object, View old, const Writer&) {
  if (object["status"]["config"] && !old["status"]["config"]) {
    object.existing("status").remove("config");
  }
}

void validate_taints(View taints, FieldErrors& errors) {
  // Upstream reports them as metadata.
  const Path path("metadata.taints");
  std::set<std::pair<std::string_view, std::string_view>> seen;
  each(taints, path, [&](View taint, const Path& item) {
    const std::string_view key = taint["key"].text();
    const std::string_view effect = taint["effect"].text();
    errors.invalid_each(item.field("key"), key, api::check_qualified_name(key));
    const auto problems = api::check_label_value(taint["value"].text());
    if (!problems.empty()) {
      errors.invalid(item.field("value"), taint["value"].text(), join(problems, ";"));
    }
    require_one_of(taint["effect"], {"NoSchedule", "PreferNoSchedule", "NoExecute"},
                   item.field("effect"), errors);
    if (!seen.emplace(key, effect).second) errors.duplicate(item, taint);
  });
}

void validate_resources(View list, const Path& path, FieldErrors& errors) {
  for (const json::Member& member : list.members()) {
    validate_resource_quantity(member.key, member.value, path.field(member.key), errors);
  }
}

// "MyFeature/subFeature": starts with a capital, then letters and digits in parts.
bool is_feature_name(std::string_view name) {
  const auto parts = split(name, '/');
  for (const std::string_view part : parts) {
    for (const char c : part) {
      if ((c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')) return false;
    }
    if (part.empty()) return false;
  }
  return name[0] >= 'A' && name[0] <= 'Z';
}

void validate_declared_features(View features, FieldErrors& errors) {
  constexpr size_t kMaxCharacters = 253;
  const Path path("status.declaredFeatures");
  std::string_view before;
  each(features, path, [&](View feature, const Path& item) {
    const std::string_view name = feature.text();
    if (name.size() > kMaxCharacters) {
      errors.invalid(item, name,
                     fmt::format("invalid feature name \"{}\": must be no more than {} characters",
                                 name, kMaxCharacters));
    } else if (!is_feature_name(name)) {
      errors.invalid(item, name,
                     fmt::format("invalid feature name \"{}\": must start with an UpperCamelCase "
                                 "segment, with subsequent segments separated by '/' (e.g., "
                                 "MyFeature or MyFeature/mySubFeature), and contain only "
                                 "alphanumeric characters and slashes",
                                 name));
    }
    if (!before.empty() && before == name) errors.duplicate(item, name);
    if (before > name) errors.invalid(item, name, "list must be sorted alphabetically");
    before = name;
  });
}

void validate_pod_networks(View networks, FieldErrors& errors) {
  const Path path("spec.podCIDRs");
  each(networks, path, [&](View network, const Path& item) {
    errors.invalid_each(item, network.text(), api::check_cidr(network.text()));
  });
  if (networks.size() < 2) return;
  const auto first = parse_prefix(networks.item(0).text());
  const auto second = parse_prefix(networks.item(1).text());
  const bool is_dual = first && second && first->address.is_v4() != second->address.is_v4();
  if (!is_dual || networks.size() > 2) {
    errors.invalid(path, networks, "may specify no more than one CIDR for each IP family");
  }
}

void validate(View object, FieldErrors& errors) {
  const View status = object["status"];
  validate_taints(object["spec"]["taints"], errors);
  validate_resources(status["capacity"], Path("status.capacity"), errors);
  validate_resources(status["allocatable"], Path("status.allocatable"), errors);
  const View swap = status.at("nodeInfo.swap.capacity");
  if (swap && swap.integer() <= 0) {
    errors.invalid(Path("metadata.nodeSwapStatus.capacity"), swap, "must be greater than zero");
  }
  validate_declared_features(status["declaredFeatures"], errors);
  validate_pod_networks(object["spec"]["podCIDRs"], errors);
}

// Fields that are immutable for all writers: other components rely on them.
void validate_changes(View object, View old, FieldErrors& errors) {
  const Path addresses("status.addresses");
  std::set<std::pair<std::string_view, std::string_view>> seen;
  each(object["status"]["addresses"], addresses, [&](View address, const Path& item) {
    if (!seen.emplace(address["type"].text(), address["address"].text()).second) {
      errors.duplicate(item, address);
    }
  });
  const View spec = object["spec"];
  const View before = old["spec"];
  if (!before["podCIDRs"].empty() && before["podCIDRs"] != spec["podCIDRs"]) {
    errors.forbidden(Path("spec.podCIDRs"),
                     "node updates may not change podCIDR except from \"\" to valid");
  }
  if (!before["providerID"].text().empty() && before["providerID"] != spec["providerID"]) {
    errors.forbidden(Path("spec.providerID"),
                     "node updates may not change providerID except from \"\" to valid");
  }
  if (before["externalID"].text() != spec["externalID"].text()) {
    errors.forbidden(Path("spec.externalID"), "may not be updated");
  }
  validate_node_config(object, errors);
}

void validate_status_update(View object, View old, FieldErrors& errors) {
  validate_resources(object["status"]["capacity"], Path("status.capacity"), errors);
  validate_resources(object["status"]["allocatable"], Path("status.allocatable"), errors);
  validate_declared_features(object["status"]["declaredFeatures"], errors);
  validate_changes(object, old, errors);
}

void warn(View object, View, Warnings& warnings) {
  const View spec = object["spec"];
  if (spec["configSource"]) warnings.emplace_back("spec.configSource: the feature is removed");
  if (!spec["externalID"].text().empty()) {
    warnings.emplace_back("spec.externalID: this field is deprecated, and is unused by Kubernetes");
  }
  const Path path("spec.podCIDRs");
  each(spec["podCIDRs"], path,
       [&](View network, const Path& item) { warn_about_network(network.text(), item, warnings); });
}

void default_node_spec(api::Edit spec) {
  const std::string_view single = spec["podCIDR"].text();
  const std::string_view first = spec["podCIDRs"].item(0).text();
  if (single == first) return;
  if (single.empty()) {
    spec.set("podCIDR", first);
    return;
  }
  json::Value list = json::Value::array();
  list.push_back(spec.arena(), json::Value::string(spec.arena(), single));
  spec.set("podCIDRs", std::move(list));
}

void default_node_status(api::Edit status) {
  if (status["capacity"] && !status["allocatable"]) {
    status.copy("allocatable", status["capacity"]);
  }
}

constexpr TypeDefaults kDefaults[] = {{"v1/NodeSpec", default_node_spec},
                                      {"v1/NodeStatus", default_node_status}};

}  // namespace node

KindRules node_rules() {
  return {.kind = "v1/Node",
          .metadata = {.update = "MU"},
          .defaults = node::kDefaults,
          .prepare_create = node::prepare_create,
          .prepare_update = node::prepare_update,
          .prepare_status_update = node::prepare_status_update,
          .validate = node::validate,
          .validate_update = node::validate_changes,
          .validate_status_update = node::validate_status_update,
          .warn = node::warn,
          .columns = node::kColumns,
          .row = node::row};
}

}  // namespace proa::kinds
