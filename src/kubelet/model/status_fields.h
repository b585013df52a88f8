#pragma once

#include <string_view>

#include "api/object/view.h"

// Lookups in a PodStatus.

namespace proa::kubelet {

// Whether a pod in that phase has ended: "Succeeded" or "Failed".
bool is_final_phase(std::string_view phase);

// The condition of that type in a status; absent if the status has none.
api::View find_condition(api::View status, std::string_view type);

// The item of that name in a list of container statuses; absent if the list has none.
api::View find_container_status(api::View statuses, std::string_view name);

}  // namespace proa::kubelet
