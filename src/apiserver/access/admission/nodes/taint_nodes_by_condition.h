#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// TaintNodesByCondition: a new node takes no pods until the node controller saw that it is ready.
std::unique_ptr<AdmissionPlugin> make_taint_nodes_by_condition(const AdmissionContext& context);

}  // namespace proa::apiserver
