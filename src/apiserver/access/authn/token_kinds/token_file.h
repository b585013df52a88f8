#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/access/authn/authenticator.h"

namespace proa::apiserver {

// Tokens of a file (--token-auth-file): lines of token,user,uid and, if there are any, "groups".
// Only their hashes are kept, and looked for, so that no time tells how much of a guess was right.
class TokenFile final : public TokenAuthenticator {
 public:
  // kInvalid names the line, never what stands in it.
  static Result<std::unique_ptr<TokenFile>> parse(std::string_view text);

  Result<std::optional<TokenIdentity>> authenticate(
      std::string_view token, std::span<const std::string> audiences) override;
  size_t size() const { return users_.size(); }

 private:
  TokenFile() = default;

  std::map<std::string, UserPtr, std::less<>> users_;  // by the hash of the token
};

}  // namespace proa::apiserver
