#pragma once

#include <vector>

#include "apiserver/bootstrap/batch.h"

namespace proa::apiserver {

// Upstream's suggested PriorityLevelConfigurations and FlowSchemas.
void add_flow_control(const api::Schema& schema, std::vector<Wanted>& objects);

}  // namespace proa::apiserver
