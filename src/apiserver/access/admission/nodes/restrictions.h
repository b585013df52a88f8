#pragma once

#include "apiserver/access/admission/nodes/node_change.h"
#include "base/result.h"

// What NodeRestriction lets nodes do with each resource. Failures are kForbidden, or kNotFound for
// what a change is about.

namespace proa::apiserver {

// restrict_pods.cc: mirror pods are created; those on the node are deleted, evicted, and get their
// status.
Result<void> restrict_pod(const NodeChange& change);
// restrict_nodes.cc: its own Node, without what would bring it other people's pods.
Result<void> restrict_node(const NodeChange& change);
// restrict_tokens.cc: tokens of service accounts, for pods on the node and for what these pods ask
// for.
Result<void> restrict_service_account(const NodeChange& change);
// restrict_others.cc: of claims the status, where volumes are resized; what has the name of the
// node, or names it.
Result<void> restrict_claim(const NodeChange& change);
Result<void> restrict_lease(const NodeChange& change);
Result<void> restrict_csi_node(const NodeChange& change);
Result<void> restrict_slice(const NodeChange& change);
Result<void> restrict_certificate_request(const NodeChange& change);

}  // namespace proa::apiserver
