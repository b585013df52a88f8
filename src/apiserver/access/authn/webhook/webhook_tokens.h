#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/access/authn/authenticator.h"
#include "apiserver/access/webhook/answer_key.h"
#include "apiserver/access/webhook/review.h"
#include "apiserver/access/webhook/webhook_client.h"
#include "base/limits/log_limit.h"
#include "base/threads/answer_cache.h"

namespace proa::apiserver {

struct WebhookTokensOptions {
  client::Connection connection;  // --authentication-token-webhook-config-file, a kubeconfig
  std::string version = "v1";     // --authentication-token-webhook-version
  Duration cache_ttl = std::chrono::minutes(2);  // --authentication-token-webhook-cache-ttl
  // The audiences of tokens for which the webhook returns none.
  std::vector<std::string> api_audiences;
};

// Authenticates bearer tokens by sending TokenReviews to a webhook. Caches the answers.
class WebhookTokens final : public TokenAuthenticator {
 public:
  static Result<std::unique_ptr<WebhookTokens>> make(const WebhookContext& context,
                                                     WebhookTokensOptions options);

  Result<std::optional<TokenIdentity>> authenticate(
      std::string_view token, std::span<const std::string> audiences) override;
  // False if the answer for the API's audiences is cached.
  bool may_wait(std::string_view token) const override;
  // Cancels waiting calls. Thread-safe.
  void stop() { reviews_.client().stop(); }

 private:
  using Identity = std::optional<TokenIdentity>;
  using Cache = AnswerCache<Identity>;

  WebhookTokens(const WebhookContext& context, WebhookTokensOptions options,
                std::unique_ptr<WebhookClient> client);

  std::string key(std::string_view token, std::span<const std::string> audiences) const;
  Result<Identity> ask(std::string_view token, std::span<const std::string> audiences);

  const WebhookTokensOptions options_;
  const AnswerKeys keys_;
  mutable Cache cache_;
  Reviews reviews_;
  LogLimit failures_logged_;  // callers need no valid token to cause one
};

}  // namespace proa::apiserver
