#pragma once

#include <string>

#include "api/schema/schema.h"
#include "client/bounded_client.h"
#include "kubelet/pod/volumes/content/token_cache.h"

namespace proa::kubelet {

// Asks the API for a token of the pod's service account that ends with the pod. An empty audience
// is the API server's; zero seconds are what the API thinks right.
Result<BoundToken> request_token(const client::BoundedClient& client, const api::Schema& schema,
                                 const Pod& pod, const std::string& audience, int64_t seconds);

}  // namespace proa::kubelet
