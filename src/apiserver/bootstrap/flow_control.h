#pragma once

#include <vector>

#include "apiserver/bootstrap/batch.h"

namespace proa::apiserver {

// The priority levels and flow schemas that upstream suggests: which requests are served first when
// there are too many.
void add_flow_control(const api::Schema& schema, std::vector<Wanted>& objects);

}  // namespace proa::apiserver
