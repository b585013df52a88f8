#pragma once

#include <optional>
#include <vector>

#include "api/object/view.h"
#include "base/result.h"
#include "kinds/core/placement/node_selector.h"
#include "scheduler/model/pod_shape.h"

namespace proa::scheduler {

// Node affinity that an administrator adds to all pods of a profile.
struct AddedAffinity {
  std::optional<kinds::pods::NodeSelector> required = std::nullopt;
  std::vector<PreferredNodes> preferred = {};
};

// From NodeAffinityArgs; absent: none. kBadRequest lists all errors.
Result<AddedAffinity> read_added_affinity(api::View args);

}  // namespace proa::scheduler
