#pragma once

#include <vector>

#include "apiserver/bootstrap/batch.h"

namespace proa::apiserver {

// Upstream's suggested PriorityLevelConfigurations and FlowSchemas. New ones are found, as their
// status says, since `now`.
void add_flow_control(const api::Schema& schema, Time now, std::vector<Wanted>& objects);
// Removes those of another version, whose annotation says that they are the server's. Left for the
// next time: objects that change meanwhile or have finalizers.
Result<void> remove_unwanted_flow_control(const ApiContext& context);

}  // namespace proa::apiserver
