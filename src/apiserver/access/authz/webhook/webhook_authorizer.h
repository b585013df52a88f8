#pragma once

#include <memory>
#include <string>

#include "apiserver/access/authz/authorizer.h"
#include "apiserver/access/webhook/answer_key.h"
#include "apiserver/access/webhook/review.h"
#include "apiserver/access/webhook/webhook_client.h"
#include "base/threads/answer_cache.h"

namespace proa::apiserver {

struct WebhookAuthorizerOptions {
  client::Connection connection;  // --authorization-webhook-config-file, a kubeconfig
  std::string version = "v1";     // --authorization-webhook-version
  // --authorization-webhook-cache-authorized-ttl and -unauthorized-ttl
  Duration keep_allowed = std::chrono::minutes(5);
  Duration keep_refused = std::chrono::seconds(30);
};

// Asks a webhook what a user may do: it is sent SubjectAccessReviews, and its answers are kept for
// a while. When it can't be asked it has no opinion, as upstream's flags have it.
class WebhookAuthorizer final : public Authorizer {
 public:
  static Result<std::unique_ptr<WebhookAuthorizer>> make(const WebhookContext& context,
                                                         WebhookAuthorizerOptions options);

  Verdict authorize(const Attributes& attributes) override;
  // Not when the decision is known.
  bool may_wait(const Attributes& attributes) const override;
  void list_rules(const User& user, std::string_view name_space, RuleList& rules) override;
  // Calls off what waits. From any thread.
  void stop() { reviews_.client().stop(); }

 private:
  using Cache = AnswerCache<Verdict>;

  WebhookAuthorizer(const WebhookContext& context, WebhookAuthorizerOptions options,
                    std::unique_ptr<WebhookClient> client);
  json::Document spec_of(const Attributes& attributes) const;
  std::string key_of(const json::Document& spec) const;
  Cache::Asked ask(const Attributes& attributes, const json::Document& spec);

  const WebhookAuthorizerOptions options_;
  const AnswerKeys keys_;
  mutable Cache cache_;
  Reviews reviews_;
};

}  // namespace proa::apiserver
