#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// TaintNodesByCondition: taints new nodes until the node controller sees that they are ready.
std::unique_ptr<AdmissionPlugin> make_taint_nodes_by_condition(const AdmissionContext& context);

}  // namespace proa::apiserver
