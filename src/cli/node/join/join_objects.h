#pragma once

#include <string>

#include "client/bounded_client.h"

namespace proa::cli {

// Creates what `proa token create` tokens need: roles that let their users request a node
// certificate and have it approved, and cluster-info, which controllers sign with every token.
// cluster-info is updated if it differs. `client` has administrator rights.
Result<void> ensure_join_objects(const client::BoundedClient& client, const std::string& server,
                                 const std::string& authority_pem);

// The address of the server for other machines, from there. kNotFound if it is not
// written yet.
Result<std::string> advertised_server(const client::BoundedClient& client);

}  // namespace proa::cli
