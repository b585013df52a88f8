#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// NodeRestriction: a kubelet may write only its own Node and related objects, and the pods on it.
// The node authorizer does the same for reads.
std::unique_ptr<AdmissionPlugin> make_node_restriction(const AdmissionContext& context);

}  // namespace proa::apiserver
