#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// NodeRestriction: a kubelet changes its own Node and what belongs to it, pods on it, and nothing
// else. The node authorizer does the same for what is read.
std::unique_ptr<AdmissionPlugin> make_node_restriction(const AdmissionContext& context);

}  // namespace proa::apiserver
