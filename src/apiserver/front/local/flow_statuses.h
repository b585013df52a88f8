#pragma once

#include "apiserver/front/fairness/flow_control.h"
#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Writes the condition Dangling of FlowSchemas. REQUIRES: both outlive the function.
fairness::WriteStatus flow_status_writer(const ApiContext& context, Clock& clock);

}  // namespace proa::apiserver
