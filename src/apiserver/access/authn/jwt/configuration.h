#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/authn/anonymous.h"
#include "base/result.h"
#include "cel/access/identity.h"
#include "json/value.h"

namespace proa::apiserver {

// Maps a claim to a part of the user, with a prefix, or the result of an expression. Neither claim
// nor expression means no mapping.
struct ClaimMapping {
  std::string claim = "";
  std::string prefix = "";
  std::optional<cel::IdentityExpression> expression = std::nullopt;
};

struct ExtraMapping {
  std::string key;
  cel::IdentityExpression value;
};

// An expression that must be true, and what is said if it is not.
struct IdentityRule {
  cel::IdentityExpression expression;
  std::string message;
};

struct RequiredClaim {
  std::string claim;
  std::string value;
};

// A token issuer and its claim mappings.
struct JwtIssuer {
  std::string url;
  std::string discovery_url = "";          // empty: derived from `url`
  std::string certificate_authority = "";  // PEM; empty: the system's trust store
  std::vector<std::string> audiences;      // a token must have at least one of them
  std::vector<RequiredClaim> required_claims = {};
  std::vector<IdentityRule> claim_rules = {};
  ClaimMapping username;
  ClaimMapping groups = {};
  ClaimMapping uid = {};
  std::vector<ExtraMapping> extra = {};
  std::vector<IdentityRule> user_rules = {};
  std::vector<std::string> algorithms = {};  // accepted signature algorithms

  // The URL of its discovery document.
  std::string discovery_document() const;
};

// The validated content of the --authentication-config file.
struct AuthenticationConfiguration {
  std::vector<JwtIssuer> issuers;
  std::optional<AnonymousOptions> anonymous;  // nullopt: not configured
};

// Reads an AuthenticationConfiguration of apiserver.config.k8s.io, v1 or an earlier version.
// `own_issuers` are those of service account tokens; they cannot be configured here. Fails with
// kInvalid and all errors.
Result<AuthenticationConfiguration> read_authentication_configuration(
    std::string_view text, std::span<const std::string> own_issuers);

// The same for an already decoded document.
Result<AuthenticationConfiguration> read_authentication_configuration(
    const json::Document& document, std::span<const std::string> own_issuers);

}  // namespace proa::apiserver
