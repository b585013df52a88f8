#pragma once

#include <string>

#include "client/client.h"

namespace proa::cli {

// What lets machines join with a token of `proa token create`: roles by which those that show one
// may ask for a node's certificate and get it, and cluster-info, which the controllers sign with
// every token. Made where they are missing; cluster-info is put right. `client` may do everything.
Result<void> ensure_join_objects(client::Client& client, const std::string& server,
                                 const std::string& authority_pem);

}  // namespace proa::cli
