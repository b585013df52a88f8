#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"
#include "base/result.h"

namespace proa::scheduler {

struct ResourceWeight {
  std::string name = {};
  int64_t weight = 1;

  bool operator==(const ResourceWeight&) const = default;
};

// A point of a line of scores: for that much of a node in use, in percent.
struct ShapePoint {
  int64_t utilization = 0;
  int64_t score = 0;  // 0 to 10, as people write it

  bool operator==(const ShapePoint&) const = default;
};

// NodeResourcesFitArgs, with the defaults filled in.
struct FitArgs {
  enum class Strategy : uint8_t { kLeastAllocated, kMostAllocated, kRequestedToCapacityRatio };

  std::vector<std::string> ignored = {};         // resources
  std::vector<std::string> ignored_groups = {};  // prefixes before the slash of a resource
  Strategy strategy = Strategy::kLeastAllocated;
  std::vector<ResourceWeight> resources = {};
  std::vector<ShapePoint> shape = {};  // of kRequestedToCapacityRatio

  // Whether the filter ignores that resource.
  bool ignores(std::string_view resource) const;
};

// kBadRequest lists all errors, with upstream's messages.
Result<FitArgs> read_fit_args(api::View args);
// The resources of NodeResourcesBalancedAllocationArgs.
Result<std::vector<ResourceWeight>> read_balanced_args(api::View args);

}  // namespace proa::scheduler
