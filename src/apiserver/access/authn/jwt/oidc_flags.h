#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "apiserver/access/authn/jwt/configuration.h"
#include "base/result.h"

namespace proa::apiserver {

// The --oidc-* flags, which configure one issuer.
struct OidcFlags {
  std::string issuer_url;
  std::string client_id;
  std::string ca_pem;  // content of the --oidc-ca-file; empty: the system's trust store
  std::string username_claim = "sub";
  // "-": none; empty: the issuer URL, except for the claim "email".
  std::string username_prefix;
  std::string groups_claim;
  std::string groups_prefix;
  std::vector<std::string> signing_algorithms = {"RS256"};
  std::map<std::string, std::string> required_claims;
};

// Returns the equivalent configuration. Fails with kInvalid and all errors.
Result<AuthenticationConfiguration> configuration_of(const OidcFlags& flags,
                                                     std::span<const std::string> own_issuers);

}  // namespace proa::apiserver
