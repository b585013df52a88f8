#pragma once

#include <string>

#include "api/schema/schema.h"
#include "client/bounded_client.h"
#include "kubelet/pod/volumes/content/token_cache.h"

namespace proa::kubelet {

// Requests a token of the pod's service account that is bound to the pod. An empty audience is the
// API server's; zero seconds: the API server's default.
Result<BoundToken> request_token(const client::BoundedClient& client, const api::Schema& schema,
                                 const Pod& pod, const std::string& audience, int64_t seconds);

}  // namespace proa::kubelet
