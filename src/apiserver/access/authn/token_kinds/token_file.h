#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/access/authn/authenticator.h"

namespace proa::apiserver {

// Tokens of --token-auth-file: lines of token,user,uid and optionally "groups". Only hashes are
// stored and compared, so that timing reveals nothing about the tokens.
class TokenFile final : public TokenAuthenticator {
 public:
  // Fails with kInvalid and the line number, never the line's content.
  static Result<std::unique_ptr<TokenFile>> parse(std::string_view text);

  Result<std::optional<TokenIdentity>> authenticate(
      std::string_view token, std::span<const std::string> audiences) override;
  size_t size() const { return users_.size(); }

 private:
  TokenFile() = default;

  std::map<std::string, UserPtr, std::less<>> users_;  // by the hash of the token
};

}  // namespace proa::apiserver
