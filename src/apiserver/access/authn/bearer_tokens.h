#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apiserver/access/authn/authentication_metrics.h"
#include "apiserver/access/authn/authenticator.h"
#include "apiserver/access/authn/token_cache.h"

namespace proa::apiserver {

// Authenticates bearer tokens from `Authorization: Bearer` or from a WebSocket subprotocol, since
// browsers cannot set headers on WebSocket requests. Thread-safe.
class BearerTokens final : public Authenticator {
 public:
  // `kinds` are tried in order. `audiences` are this server's; token kinds without audiences are
  // valid for them. REQUIRES: `clock` outlives it.
  BearerTokens(std::vector<std::unique_ptr<TokenAuthenticator>> kinds,
               std::vector<std::string> audiences, Random& random, const Clock& clock);

  Result<UserPtr> authenticate(const Credentials& credentials) override;
  bool may_wait(const Credentials& credentials) const override;
  // Those of its kinds, too.
  void write_metrics(MetricsText& text) const override;

  // Serves TokenReviews. `text` is what follows "Bearer ". If `audiences` is empty, this server's
  // are used. Returns null if `text` contains no token; fails with kUnauthorized and upstream's
  // message. May block.
  Result<TokenAnswerPtr> review(std::string_view text, std::vector<std::string> audiences);

 private:
  Result<TokenAnswerPtr> authenticate_token(std::string_view token,
                                            std::span<const std::string> audiences);
  enum class Waiting : uint8_t { kNever, kAllowed };
  struct Asked {
    TokenAnswerPtr answer;         // null: no kind knows the token
    std::vector<Status> failures;  // of kinds that refuse it
  };
  // Asks the kinds in order. Nullopt: the next one may wait, and must not.
  std::optional<Asked> ask(std::string_view token, std::span<const std::string> audiences,
                           Waiting waiting) const;
  bool still_holds(const TokenAnswerPtr& answer) const;
  // Remembers the answer of a kind that knows the token before one that may wait is asked.
  bool may_wait(std::string_view token) const;

  const std::vector<std::unique_ptr<TokenAuthenticator>> kinds_;
  const std::vector<std::string> audiences_;
  const Clock& clock_;
  mutable TokenCache cache_;
  mutable TokenCacheMetrics metrics_;
};

}  // namespace proa::apiserver
