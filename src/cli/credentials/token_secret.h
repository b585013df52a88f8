#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "base/result.h"
#include "base/time.h"
#include "cli/credentials/join_token.h"

// Join tokens as Secrets, in upstream's format: bootstrap-token-ID in kube-system, of the type
// bootstrap.kubernetes.io/token.

namespace proa::cli {

// A token without its secret.
struct TokenFacts {
  std::string id;
  std::string description;
  std::vector<std::string> usages;  // "authentication", "signing"
  std::vector<std::string> groups;  // in addition to system:bootstrappers
  std::string expiration;           // as in the Secret; empty: never

  // An expiration that cannot be parsed counts as expired.
  bool is_over(Time now) const;
};

// Parses "a,b". kInvalid if an element is invalid.
Result<std::vector<std::string>> parse_groups(std::string_view text);
Result<std::vector<std::string>> parse_usages(std::string_view text);

std::string token_secret_name(std::string_view id);
// As JSON.
std::string make_token_secret(const JoinToken& token, const TokenFacts& facts);
// Nullopt for Secrets of other types.
std::optional<TokenFacts> read_token_secret(const api::Object& secret);

}  // namespace proa::cli
