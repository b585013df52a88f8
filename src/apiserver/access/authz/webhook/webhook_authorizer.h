#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/access/authz/authorization_metrics.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/access/webhook/answer_key.h"
#include "apiserver/access/webhook/review.h"
#include "apiserver/access/webhook/webhook_client.h"
#include "base/threads/answer_cache.h"
#include "cel/access/review.h"

namespace proa::apiserver {

struct WebhookAuthorizerOptions {
  client::Connection connection;  // --authorization-webhook-config-file, a kubeconfig
  std::string version = "v1";     // --authorization-webhook-version
  // --authorization-webhook-cache-authorized-ttl and -unauthorized-ttl
  Duration keep_allowed = std::chrono::minutes(5);
  Duration keep_refused = std::chrono::seconds(30);
  std::string name = "default";  // for metrics
  // Only an AuthorizationConfiguration sets the rest.
  Duration timeout = std::chrono::seconds(30);
  Decision on_failure = Decision::kNoOpinion;  // of the webhook, and of its conditions
  // Requests for which one is false are not for this webhook.
  std::vector<cel::ReviewCondition> conditions = {};
};

// Authorizes by sending SubjectAccessReviews to a webhook. Caches the answers. If the
// webhook is unavailable, its options decide.
class WebhookAuthorizer final : public Authorizer {
 public:
  // REQUIRES: the metrics outlive it; null: nothing is counted.
  static Result<std::unique_ptr<WebhookAuthorizer>> make(const WebhookContext& context,
                                                         WebhookAuthorizerOptions options,
                                                         AuthorizationMetrics* metrics = nullptr);

  Verdict authorize(const Attributes& attributes) override;
  // False if the decision is cached.
  bool may_wait(const Attributes& attributes) const override;
  // Evaluates the conditions once, and counts them only if that suffices.
  std::optional<Verdict> authorize_now(const Attributes& attributes) override;
  void list_rules(const User& user, std::string_view name_space, RuleList& rules) override;
  // Cancels waiting calls. Thread-safe.
  void stop() { reviews_.client().stop(); }

 private:
  using Cache = AnswerCache<Verdict>;

  WebhookAuthorizer(const WebhookContext& context, WebhookAuthorizerOptions options,
                    std::unique_ptr<WebhookClient> client, AuthorizationMetrics* metrics);
  // The spec in version v1, which conditions see, too.
  json::Document spec_of(const Attributes& attributes) const;
  struct Matched {
    std::optional<Verdict> verdict;  // nullopt: the webhook must be asked
    AuthorizationMetrics::Conditions counted = {};
  };
  Matched match(const json::Document& spec) const;
  void count(const Matched& matched) const;
  void count_failure(const Status& why) const;
  std::string key_of(const json::Document& spec) const;
  Cache::Asked ask(const Attributes& attributes, const json::Document& spec);

  const WebhookAuthorizerOptions options_;
  const Clock& clock_;
  AuthorizationMetrics* const metrics_;
  const AnswerKeys keys_;
  mutable Cache cache_;
  Reviews reviews_;
};

}  // namespace proa::apiserver
