#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "cli/credentials/join_token.h"

namespace proa::cli {

// Parses "proa1.ID.SECRET.HASH", or kubeadm's "ID.SECRET" with a separate hash ("sha256:..." or
// only the digits).
Result<JoinToken> parse_join_token(std::string_view token, std::string_view authority_hash);

// kInvalid unless it is an https URL.
Result<void> check_server_url(const std::string& server);

// The CA certificate (PEM) of the cluster at `server`, verified by the hash of its public key: from
// the TLS handshake, as our server presents it; else from cluster-info signed with the token, as
// kubeadm does. The token itself is not sent. kForbidden if the server has no such CA, or its
// certificate is not for the address in `server`.
Result<std::string> discover_authority(const std::string& server, const JoinToken& token,
                                       Clock& clock, Duration timeout);

// The CA in a cluster-info ConfigMap (JSON). kForbidden if it is not signed with the token.
Result<std::string> authority_in_cluster_info(std::string_view config_map, const JoinToken& token);

}  // namespace proa::cli
