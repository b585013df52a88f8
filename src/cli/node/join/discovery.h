#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "cli/credentials/join_token.h"

namespace proa::cli {

// What a machine that joins was given: "proa1.ID.SECRET.HASH", or kubeadm's "ID.SECRET" with the
// hash beside it ("sha256:..." or its digits alone).
Result<JoinToken> parse_join_token(std::string_view token, std::string_view authority_hash);

// The certificate (PEM) of the authority of the cluster at `server`, known by the hash of its
// public key: from what the server shows in its handshake, as ours does; else from the cluster-info
// that is signed with the token, as kubeadm does it. The token itself is shown to nobody.
// kForbidden when the server has no such authority.
Result<std::string> discover_authority(const std::string& server, const JoinToken& token,
                                       Clock& clock, Duration timeout);

// The authority in a cluster-info ConfigMap (JSON). kForbidden when the token did not sign it.
Result<std::string> authority_in_cluster_info(std::string_view config_map, const JoinToken& token);

}  // namespace proa::cli
