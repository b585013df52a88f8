#pragma once

#include "client/bounded_client.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Creates the mirror of a static pod, or replaces it if it mirrors other content. `mirror`: that of
// the API server; null for none. `node`: the Node that owns mirrors. Blocking.
Result<void> reconcile_mirror(const client::BoundedClient& client, const api::Resource& pods,
                              const Pod& pod, const Pod* mirror, const api::Object& node);
// Deletes a mirror whose static pod is gone.
Result<void> remove_mirror(const client::BoundedClient& client, const api::Resource& pods,
                           const Pod& mirror);

}  // namespace proa::kubelet
