#include "kinds/resource/device.h"

#include <fmt/format.h>

#include <set>

#include "api/quantity.h"
#include "base/strings.h"
#include "kinds/core/placement/node_selector_validation.h"
#include "kinds/resource/capacity_policy.h"
#include "kinds/resource/device_names.h"

namespace proa::kinds::devices {

namespace device {

constexpr size_t kMaxAttributes = 32;
constexpr size_t kMaxValueBytes = 64;
constexpr size_t kMaxTaints = 16;
constexpr size_t kMaxConsumptions = 2;
constexpr size_t kMaxCounters = 32;
constexpr size_t kMaxBindingConditions = 4;

// Digits without a leading zero.
bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos &&
         (text.size() == 1 || text[0] != '0');
}

bool are_identifiers(std::string_view text, bool numbers_are_plain) {
  for (const std::string_view part : split(text, '.')) {
    const bool digits = part.find_first_not_of("0123456789") == std::string_view::npos;
    for (const char c : part) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') return false;
    }
    if (part.empty() || (numbers_are_plain && digits && !is_number(part))) return false;
  }
  return true;
}

// A semantic version (semver.org): "1.2.3-beta.1+build".
bool is_semantic_version(std::string_view text) {
  const auto build = split_once(text, '+');
  if (build && !are_identifiers(build->after, false)) return false;
  const auto release = split_once(build ? build->before : text, '-');
  if (release && !are_identifiers(release->after, true)) return false;
  const std::string_view core = release ? release->before : build ? build->before : text;
  const auto numbers = split(core, '.');
  return numbers.size() == 3 && is_number(numbers[0]) && is_number(numbers[1]) &&
         is_number(numbers[2]);
}

void validate_attribute(View attribute, const api::Path& path, api::FieldErrors& errors) {
  int count = 0;
  for (const std::string_view name : {"int", "bool", "string", "version"}) {
    if (attribute[name]) ++count;
  }
  const View text = attribute["string"];
  if (text.text().size() > kMaxValueBytes) errors.too_long(path.field("string"), kMaxValueBytes);
  const View version = attribute["version"];
  if (version && !is_semantic_version(version.text())) {
    errors.invalid(path.field("version"), version.text(),
                   "must be a string compatible with semver.org spec 2.0.0");
  }
  if (version.text().size() > kMaxValueBytes) {
    errors.too_long(path.field("version"), kMaxValueBytes);
  }
  if (count == 0) errors.invalid(path, "", "exactly one value must be specified");
  if (count > 1) errors.invalid(path, attribute, "exactly one value must be specified");
}

void validate_attributes(View device, const api::Path& path, api::FieldErrors& errors) {
  const size_t total = device["attributes"].size() + device["capacity"].size();
  if (total > kMaxAttributes) {
    errors.invalid(path, static_cast<int64_t>(total),
                   fmt::format("the total number of attributes and capacities must not exceed {}",
                               kMaxAttributes));
  }
  const api::Path attributes = path.field("attributes");
  for (const json::Member& member : device["attributes"].members()) {
    validate_qualified_name(member.key, attributes, errors);
    validate_attribute(member.value, attributes.key(member.key), errors);
  }
  const api::Path capacities = path.field("capacity");
  const bool shared = device["allowMultipleAllocations"].flag();
  for (const json::Member& member : device["capacity"].members()) {
    validate_qualified_name(member.key, capacities, errors);
    validate_capacity_policy(member.value, shared, capacities.key(member.key), errors);
  }
}

void validate_taint(View taint, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view key = taint["key"].text();
  errors.invalid_each(path.field("key"), key, api::check_qualified_name(key));
  const std::string_view value = taint["value"].text();
  errors.invalid_each(path.field("value"), value, api::check_label_value(value));
  require_one_of(taint["effect"], {"NoExecute", "NoSchedule", "None"}, path.field("effect"),
                 errors);
}

void validate_consumption(View consumption, const api::Path& path, api::FieldErrors& errors) {
  if (require_text(consumption, "counterSet", path, errors)) {
    validate_label_name(consumption["counterSet"], path.field("counterSet"), errors);
  }
  validate_counters(consumption["counters"], path.field("counters"), errors);
}

void validate_nodes(View device, bool selects_nodes, const api::Path& path,
                    api::FieldErrors& errors) {
  if (!selects_nodes) {
    if (device["nodeName"] || device["nodeSelector"] || device["allNodes"]) {
      errors.invalid(path, nullptr,
                     "`nodeName`, `nodeSelector` and `allNodes` can only be set if "
                     "`perDeviceNodeSelection` is set to true in the ResourceSlice spec");
    }
    return;
  }
  constexpr std::string_view kOneOf =
      "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
      "`perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  Placement placement;
  placement.read(device, path, "must not be empty", errors);
  if (placement.set.empty()) errors.required(path, kOneOf);
  if (placement.set.size() > 1) errors.invalid(path, placement.str(), kOneOf);
}

void validate_binding(View device, const api::Path& path, api::FieldErrors& errors) {
  const View conditions = device["bindingConditions"];
  const View failures = device["bindingFailureConditions"];
  const api::Path conditions_path = path.field("bindingConditions");
  const api::Path failures_path = path.field("bindingFailureConditions");
  const auto check = [&](View name, const api::Path& at) {
    errors.invalid_each(at, name.text(), api::check_qualified_name(name.text()));
  };
  validate_distinct(conditions, kMaxBindingConditions, conditions_path, errors, check, text_of);
  validate_distinct(failures, kMaxBindingConditions, failures_path, errors, check, text_of);
  std::multiset<std::string_view> names;
  for (const View condition : conditions.items()) names.insert(condition.text());
  each(failures, failures_path, [&](View failure, const api::Path& at) {
    const auto [first, last] = names.equal_range(failure.text());
    for (auto same = first; same != last && !errors.full(); ++same) {
      errors.invalid(at, failure.text(),
                     "bindingFailureConditions must not overlap with bindingConditions");
    }
  });
  if (conditions.empty() && !failures.empty()) {
    errors.invalid(conditions_path, conditions,
                   "bindingConditions are required to use bindingFailureConditions");
  }
  if (failures.empty() && !conditions.empty()) {
    errors.invalid(failures_path, failures,
                   "bindingFailureConditions are required to use bindingConditions");
  }
}

}  // namespace device

void Placement::read(View at, const api::Path& path, std::string_view empty_name,
                     api::FieldErrors& errors) {
  const View node = at["nodeName"];
  if (node && node.text().empty()) {
    errors.invalid(path.field("nodeName"), "", empty_name);
  } else if (node) {
    set.emplace_back("`nodeName`");
    check_text(node, api::check_dns1123_subdomain, path.field("nodeName"), errors);
  }
  if (at["nodeSelector"]) {
    set.emplace_back("`nodeSelector`");
    pods::validate_node_selector(at["nodeSelector"], path.field("nodeSelector"), errors);
  }
  for (const std::string_view name : {"allNodes", "perDeviceNodeSelection"}) {
    const View flag = at[name];
    if (flag && !flag.flag()) {
      errors.invalid(path.field(name), flag, "must be either unset or set to true");
    } else if (flag) {
      set.push_back(fmt::format("`{}`", name));
    }
  }
}

std::string Placement::str() const { return "{" + join(set, ", ") + "}"; }

void validate_counters(View counters, const api::Path& path, api::FieldErrors& errors) {
  if (counters.empty()) return errors.required(path);
  if (counters.size() > device::kMaxCounters) {
    return errors.too_many(path, counters.size(), device::kMaxCounters);
  }
  for (const json::Member& member : counters.members()) {
    errors.invalid_each(path, member.key, api::check_dns1123_label(member.key));
  }
}

void validate_device(View device, bool selects_nodes, const api::Path& path,
                     api::FieldErrors& errors) {
  validate_label_name(device["name"], path.field("name"), errors);
  device::validate_attributes(device, path, errors);
  const auto check_taint = [&](View taint, const api::Path& at) {
    device::validate_taint(taint, at, errors);
  };
  validate_list(device["taints"], device::kMaxTaints, path.field("taints"), errors, check_taint);
  const auto check_consumption = [&](View consumption, const api::Path& at) {
    device::validate_consumption(consumption, at, errors);
  };
  validate_distinct(device["consumesCounters"], device::kMaxConsumptions,
                    path.field("consumesCounters"), errors, check_consumption,
                    [](View consumption) { return consumption["counterSet"].text(); });
  device::validate_nodes(device, selects_nodes, path, errors);
  device::validate_binding(device, path, errors);
}

}  // namespace proa::kinds::devices
