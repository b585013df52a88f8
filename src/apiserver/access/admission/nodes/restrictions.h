#pragma once

#include "apiserver/access/admission/nodes/node_change.h"
#include "base/result.h"

// What NodeRestriction allows nodes to do with each resource. Failures are kForbidden, or kNotFound
// for the object concerned.

namespace proa::apiserver {

// restrict_pods.cc: create mirror pods; delete, evict and set the status of pods on the node.
Result<void> restrict_pod(const NodeChange& change);
// restrict_nodes.cc: its own Node, without changes that would attract other pods.
Result<void> restrict_node(const NodeChange& change);
// restrict_tokens.cc: service account tokens for pods on the node, with audiences that these pods
// request.
Result<void> restrict_service_account(const NodeChange& change);
// restrict_others.cc: the status of claims during a resize; objects named after the node or naming
// it.
Result<void> restrict_claim(const NodeChange& change);
// The finalizer of volumes that are directories of the node.
Result<void> restrict_volume(const NodeChange& change);
Result<void> restrict_lease(const NodeChange& change);
Result<void> restrict_csi_node(const NodeChange& change);
Result<void> restrict_slice(const NodeChange& change);
Result<void> restrict_certificate_request(const NodeChange& change);

}  // namespace proa::apiserver
