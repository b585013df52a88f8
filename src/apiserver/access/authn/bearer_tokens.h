#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/access/authn/authenticator.h"
#include "apiserver/access/authn/token_cache.h"

namespace proa::apiserver {

// Knows callers by a token in `Authorization: Bearer`, or in a subprotocol of a WebSocket, since
// browsers can't send headers with those. For any thread.
class BearerTokens final : public Authenticator {
 public:
  // `kinds` are asked in their order. `audiences`: of this server; kinds without audiences are
  // meant for them. REQUIRES: `clock` outlives it.
  BearerTokens(std::vector<std::unique_ptr<TokenAuthenticator>> kinds,
               std::vector<std::string> audiences, Random& random, const Clock& clock);

  Result<UserPtr> authenticate(const Credentials& credentials) override;
  bool may_wait(const Credentials& credentials) const override;

  // Of TokenReviews: `text` is what would stand behind "Bearer ". No audiences: those of this
  // server. Null: there is no token in it. kUnauthorized, in upstream's words; may wait.
  Result<TokenAnswerPtr> review(std::string_view text, std::vector<std::string> audiences);

 private:
  Result<TokenAnswerPtr> identify(std::string_view token, std::span<const std::string> audiences);
  Result<TokenAnswerPtr> identify_anew(std::string_view token,
                                       std::span<const std::string> audiences);
  TokenAnswerPtr remembered(const TokenCache::Key& key) const;
  bool may_wait(std::string_view token) const;

  const std::vector<std::unique_ptr<TokenAuthenticator>> kinds_;
  const std::vector<std::string> audiences_;
  TokenCache cache_;
};

}  // namespace proa::apiserver
