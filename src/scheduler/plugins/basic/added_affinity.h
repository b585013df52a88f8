#pragma once

#include <optional>
#include <vector>

#include "api/object/view.h"
#include "base/result.h"
#include "kinds/core/placement/node_selector.h"
#include "scheduler/model/pod_shape.h"

namespace proa::scheduler {

// What an administrator adds to the node affinity of all pods of a profile.
struct AddedAffinity {
  std::optional<kinds::pods::NodeSelector> required = std::nullopt;
  std::vector<PreferredNodes> preferred = {};
};

// Of NodeAffinityArgs; absent: nothing is added. kBadRequest names all that is wrong.
Result<AddedAffinity> read_added_affinity(api::View args);

}  // namespace proa::scheduler
