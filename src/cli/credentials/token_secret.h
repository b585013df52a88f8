#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "base/result.h"
#include "base/time.h"
#include "cli/credentials/join_token.h"

// The Secrets that the API server knows join tokens by, in the form that upstream gave them:
// bootstrap-token-ID in kube-system, of the type bootstrap.kubernetes.io/token.

namespace proa::cli {

// What is known about a token, apart from its secret.
struct TokenFacts {
  std::string id;
  std::string description;
  std::vector<std::string> usages;  // "authentication", "signing"
  std::vector<std::string> groups;  // besides system:bootstrappers
  std::string expiration;           // as the Secret has it; empty: never

  // An end that can't be read has come.
  bool is_over(Time now) const;
};

// "a,b": each checked. kInvalid where one can't be.
Result<std::vector<std::string>> parse_groups(std::string_view text);
Result<std::vector<std::string>> parse_usages(std::string_view text);

std::string token_secret_name(std::string_view id);
// As JSON.
std::string make_token_secret(const JoinToken& token, const TokenFacts& facts);
// Nullopt for Secrets of other things.
std::optional<TokenFacts> read_token_secret(const api::Object& secret);

}  // namespace proa::cli
