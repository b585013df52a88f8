#pragma once

#include "api/object/edit.h"
#include "kubelet/node/agent/node_status.h"

namespace proa::kubelet {

// Writes capacity and allocatable of a Node's status: the machine's resources, and those minus the
// reserved ones. Resources of other components stay.
void write_resources(const api::Edit& status, const NodeFacts& facts);

}  // namespace proa::kubelet
