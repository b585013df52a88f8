#pragma once

#include "client/bounded_client.h"
#include "kubelet/model/options.h"

namespace proa::cli {

// The server's refusal, with advice, if a new Node may not have the pod ranges of the options:
// another node has them, or they are outside the cluster's. Nothing is written. With the rights of
// the node itself.
Result<void> refuse_taken_range(const client::BoundedClient& client,
                                const kubelet::KubeletOptions& options);

}  // namespace proa::cli
