#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/authn/anonymous.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::apiserver {

// A claim that becomes a part of the user, with something in front. Empty: there is none.
struct PrefixedClaim {
  std::string claim;
  std::string prefix = "";
};

struct RequiredClaim {
  std::string claim;
  std::string value;
};

// One issuer of tokens, and how its claims are read.
struct JwtIssuer {
  std::string url;
  std::string discovery_url = "";          // empty: below its own URL
  std::string certificate_authority = "";  // PEM; empty: whom the system trusts
  std::vector<std::string> audiences;      // one of them must be among those of a token
  std::vector<RequiredClaim> required_claims = {};
  PrefixedClaim username;
  PrefixedClaim groups = {};
  std::string uid_claim = "";
  std::vector<std::string> algorithms = {};  // that it may sign with

  // Where its discovery document is.
  std::string discovery_document() const;
};

// What the file of --authentication-config says, checked.
struct AuthenticationConfiguration {
  std::vector<JwtIssuer> issuers;
  std::optional<AnonymousOptions> anonymous;  // nullopt: it does not say
};

// AuthenticationConfiguration of apiserver.config.k8s.io, v1 or one of the versions before.
// `own_issuers`: of service accounts; they can't be others', too. kInvalid names all that is wrong;
// CEL expressions are refused.
Result<AuthenticationConfiguration> read_authentication_configuration(
    std::string_view text, std::span<const std::string> own_issuers);

// The same of a document that has the right form already.
Result<AuthenticationConfiguration> read_authentication_configuration(
    const json::Document& document, std::span<const std::string> own_issuers);

}  // namespace proa::apiserver
