#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "apiserver/access/authn/jwt/configuration.h"
#include "base/result.h"

namespace proa::apiserver {

// The older way to name one issuer: the --oidc-* flags.
struct OidcFlags {
  std::string issuer_url;
  std::string client_id;
  std::string ca_pem;  // what the file of --oidc-ca-file holds; empty: whom the system trusts
  std::string username_claim = "sub";
  // "-": none; empty: the issuer, but for the claim "email".
  std::string username_prefix;
  std::string groups_claim;
  std::string groups_prefix;
  std::vector<std::string> signing_algorithms = {"RS256"};
  std::map<std::string, std::string> required_claims;
};

// What a file would say instead of them. kInvalid names what is wrong with them.
Result<AuthenticationConfiguration> configuration_of(const OidcFlags& flags,
                                                     std::span<const std::string> own_issuers);

}  // namespace proa::apiserver
