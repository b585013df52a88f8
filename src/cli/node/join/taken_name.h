#pragma once

#include "api/object/names.h"
#include "client/bounded_client.h"
#include "kubelet/host/machine.h"

// Two machines with one host name: the second one must not take over the Node of the first.
namespace proa::cli {

// kConflict, with advice, if there is a Node of that name whose machine is another one and alive:
// the cluster hears from it. The same machine may join again, and any machine may replace one that
// is gone. With the rights of the node itself.
Result<void> refuse_taken_name(const client::BoundedClient& client, api::NodeNameView node_name,
                               const kubelet::Machine& machine);

}  // namespace proa::cli
