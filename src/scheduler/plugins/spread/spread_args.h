#pragma once

#include <vector>

#include "api/object/view.h"
#include "base/result.h"
#include "scheduler/model/pod_shape.h"

namespace proa::scheduler {

// The default constraints of pods without their own.
struct SpreadDefaults {
  // Upstream's built-in constraints; nodes without some of their labels are scored too.
  bool by_system = true;
  std::vector<SpreadConstraint> constraints = {};  // without selectors
};

// Reads PodTopologySpreadArgs; default: the built-in constraints. kBadRequest with upstream's
// messages.
Result<SpreadDefaults> read_spread_args(api::View args);

}  // namespace proa::scheduler
