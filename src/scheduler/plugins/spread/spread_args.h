#pragma once

#include <vector>

#include "api/object/view.h"
#include "base/result.h"
#include "scheduler/model/pod_shape.h"

namespace proa::scheduler {

// How pods are spread that don't say it themselves.
struct SpreadDefaults {
  // Upstream's own, of which a node need not have all labels to be scored.
  bool by_system = true;
  std::vector<SpreadConstraint> constraints = {};  // without selectors
};

// PodTopologySpreadArgs; without any, the defaults are the system's. kBadRequest, in upstream's
// words, for what is wrong.
Result<SpreadDefaults> read_spread_args(api::View args);

}  // namespace proa::scheduler
