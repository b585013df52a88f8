#pragma once

#include <string>

#include "client/client.h"

namespace proa::cli {

// Creates what `proa token create` tokens need: roles that let their users request a node
// certificate and have it approved, and cluster-info, which controllers sign with every token.
// cluster-info is updated if it differs. `client` has administrator rights.
Result<void> ensure_join_objects(client::Client& client, const std::string& server,
                                 const std::string& authority_pem);

}  // namespace proa::cli
