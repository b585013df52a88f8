#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/expression/checked.h"
#include "cel/values/value.h"
#include "json/value.h"

// Expressions that choose devices: of ResourceClaims, their templates, and DeviceClasses. The
// scheduler compiles a selector once, makes the value of a device once, and asks for each pair.

namespace proa::cel {

// What a selector may cost, by its estimate and at run time: upstream's
// CELSelectorExpressionMaxCost.
inline constexpr uint64_t kDeviceSelectorCostLimit = 1'000'000;

// Upstream's feature gates, with their defaults.
struct DeviceFeatures {
  bool consumable_capacity = true;  // device.allowMultipleAllocations
  bool list_attributes = false;     // attributes that are lists, and includes()

  bool operator==(const DeviceFeatures&) const = default;
};

// Compiles a selector; its result is a bool, or an attribute that may be one. Callers compare
// `max_cost` with the limit.
CheckedExpression compile_device_selector(std::string_view source,
                                          const DeviceFeatures& features = {});

// The variable `device`: a device of a ResourceSlice of this driver, as JSON. Fails if an attribute
// has no value that expressions can see. REQUIRES: arena, driver and document outlive the value.
Result<Value> device_value(Arena& arena, std::string_view driver, const json::Value& device,
                           const DeviceFeatures& features = {});

struct DeviceMatch {
  bool matches = false;
  uint64_t cost = 0;
};

// Whether a device is chosen. Fails if the evaluation does, or ends in no bool. REQUIRES: a
// selector without error; its features and those of the value are the same.
Result<DeviceMatch> device_matches(const CheckedExpression& selector, const Value& device,
                                   Arena& arena, uint64_t cost_limit = kDeviceSelectorCostLimit);

}  // namespace proa::cel
