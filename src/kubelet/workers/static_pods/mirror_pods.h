#pragma once

#include "client/bounded_client.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Brings the mirror of a static pod to what it should be: created when there is none, replaced when
// it mirrors another content, left alone when right. `mirror`: what the API has; null for none.
// `node`: the Node that owns mirrors. Blocking.
Result<void> reconcile_mirror(const client::BoundedClient& client, const api::Resource& pods,
                              const Pod& pod, const Pod* mirror, const api::Object& node);
// Takes a mirror away whose static pod is gone.
Result<void> remove_mirror(const client::BoundedClient& client, const api::Resource& pods,
                           const Pod& mirror);

}  // namespace proa::kubelet
