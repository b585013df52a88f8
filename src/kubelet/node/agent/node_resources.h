#pragma once

#include "api/object/edit.h"
#include "kubelet/node/agent/node_status.h"

namespace proa::kubelet {

// Capacity and allocatable of a Node's status: what the machine has, and what is left of it when
// everything that is reserved is taken off. Resources that others brought stay.
void write_resources(const api::Edit& status, const NodeFacts& facts);

}  // namespace proa::kubelet
