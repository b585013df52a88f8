#include "kinds/resource/capacity_policy.h"

#include <fmt/format.h>

#include "api/quantity.h"
#include "kinds/resource/device_names.h"

namespace proa::kinds::devices {

namespace capacity_policy {

using api::Quantity;

constexpr size_t kMaxValues = 10;

// Decoded quantities are valid.
Quantity quantity(View value) {
  const auto parsed = Quantity::parse(value.text());
  return parsed.ok() ? *parsed : Quantity();
}

void validate_values(View policy, const Quantity& most, const api::Path& path,
                     api::FieldErrors& errors) {
  const View values = policy["validValues"];
  for (size_t i = 1; i < values.size(); ++i) {
    if (quantity(values.item(i - 1)) > quantity(values.item(i))) {
      errors.invalid(path.index(i), values.item(i), "values must be sorted in ascending order");
    }
  }
  bool has_default = false;
  const auto check = [&](View value, const api::Path& at) {
    if (quantity(value) > most) {
      errors.invalid(at, value,
                     fmt::format("option is larger than capacity value: {}", most.str()));
    }
    has_default = has_default || quantity(value) == quantity(policy["default"]);
  };
  validate_distinct(values, kMaxValues, path, errors, check,
                    [](View value) { return std::to_string(quantity(value).value()); });
  if (!has_default) {
    errors.invalid(path, policy["default"],
                   "default value is not valid according to the requestPolicy");
  }
}

void validate_step(View value, View least, View step, const api::Path& path,
                   api::FieldErrors& errors) {
  const int64_t width = quantity(step).value();
  if (width != 0 && (quantity(value).value() - quantity(least).value()) % width == 0) return;
  errors.invalid(path, value,
                 fmt::format("value is not a multiple of a given step ({}) from ({})", step.text(),
                             least.text()));
}

void validate_most(View range, View preset, const Quantity& most, const api::Path& path,
                   api::FieldErrors& errors) {
  const View upper = range["max"];
  const api::Path upper_path = path.field("max");
  if (quantity(range["min"]) > quantity(upper)) {
    errors.invalid(upper_path, range["min"],
                   fmt::format("min is larger than max: {}", upper.text()));
  }
  if (quantity(upper) > most) {
    errors.invalid(upper_path, upper,
                   fmt::format("max is larger than capacity value: {}", most.str()));
  }
  if (quantity(preset) > quantity(upper)) {
    errors.invalid(upper_path, preset, fmt::format("default is more than max: {}", upper.text()));
  }
}

void validate_range(View policy, const Quantity& most, const api::Path& path,
                    api::FieldErrors& errors) {
  const View range = policy["validRange"];
  const View preset = policy["default"];
  const View least = range["min"];
  if (!least) return errors.required(path.field("min"), "required when validRange is defined");
  if (quantity(least) > most) {
    errors.invalid(path.field("min"), least,
                   fmt::format("min is larger than capacity value: {}", most.str()));
  }
  if (quantity(preset) < quantity(least)) {
    errors.invalid(path.field("min"), preset,
                   fmt::format("default is less than min: {}", least.text()));
  }
  if (range["max"]) validate_most(range, preset, most, path, errors);
  const View step = range["step"];
  if (!step) return;
  const api::Path step_path = path.field("step");
  const Quantity first = quantity(least) + quantity(step);
  if (first > most) {
    errors.invalid(
        step_path, step,
        fmt::format("one step {} is larger than capacity value: {}", first.str(), most.str()));
  }
  validate_step(preset, least, step, step_path, errors);
  if (range["max"]) validate_step(range["max"], least, step, step_path, errors);
}

}  // namespace capacity_policy

void validate_capacity_policy(View capacity, bool shared, const api::Path& path,
                              api::FieldErrors& errors) {
  const View policy = capacity["requestPolicy"];
  if (!policy) return;
  const api::Path policy_path = path.field("requestPolicy");
  if (!shared) return errors.forbidden(policy_path, "allowMultipleAllocations must be true");
  const bool has_values = !policy["validValues"].empty();
  if (has_values && policy["validRange"]) {
    return errors.forbidden(policy_path,
                            "exactly one policy can be specified, cannot specify \"validValues\" "
                            "and \"validRange\" at the same time");
  }
  if (!has_values && !policy["validRange"]) return;
  const std::string_view name = has_values ? "validValues" : "validRange";
  if (!policy["default"]) {
    return errors.required(policy_path.field("default"),
                           fmt::format("required when {} is defined", name));
  }
  const auto most = capacity_policy::quantity(capacity["value"]);
  if (has_values) {
    capacity_policy::validate_values(policy, most, policy_path.field(name), errors);
  } else {
    capacity_policy::validate_range(policy, most, policy_path.field(name), errors);
  }
}

}  // namespace proa::kinds::devices
