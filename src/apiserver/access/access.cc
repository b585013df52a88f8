#include "apiserver/access/access.h"

#include "apiserver/access/admission/cluster/escalation.h"

namespace proa::apiserver {

Result<std::unique_ptr<Access>> Access::make(const AccessOptions& options,
                                             const Dependencies& dependencies) {
  Authorization authorization = TRY(Authorization::make(
      options.authorization, dependencies.store, dependencies.schema, dependencies.webhooks));
  std::unique_ptr<Access> access(new Access(std::move(authorization), dependencies.clock));
  auto remote_tokens = TRY(access->make_remote_tokens(options, dependencies));
  access->authentication_ = TRY(Authentication::make(options.authentication,
                                                     {.store = dependencies.store,
                                                      .schema = dependencies.schema,
                                                      .clock = dependencies.clock,
                                                      .random = dependencies.random,
                                                      .tokens = dependencies.tokens},
                                                     std::move(remote_tokens)));
  auto plugins = TRY(make_plugins(options.plugins, {.store = dependencies.store,
                                                    .schema = dependencies.schema,
                                                    .clock = dependencies.clock,
                                                    .random = dependencies.random,
                                                    .authorizer = access->authorizer(),
                                                    .metrics = access->metrics_,
                                                    .hooks = dependencies.hooks,
                                                    .pod_ranges = options.pod_ranges}));
  // Cannot be disabled, and is no plugin of upstream's.
  plugins.push_back(
      {"", std::make_unique<RbacEscalation>(access->authorizer(), access->authorization_.roles(),
                                            dependencies.schema)});
  access->admission_ =
      std::make_unique<const AdmissionChain>(std::move(plugins), dependencies.clock);
  return access;
}

Result<std::vector<std::unique_ptr<TokenAuthenticator>>> Access::make_remote_tokens(
    const AccessOptions& options, const Dependencies& dependencies) {
  std::vector<std::unique_ptr<TokenAuthenticator>> remote_tokens;
  const bool wanted = !options.token_issuers.empty() || options.token_webhook;
  if (wanted && dependencies.webhooks == nullptr) {
    return Status(Reason::kInvalid, "token issuers and webhooks are not supported by this server");
  }
  std::vector<std::string> audiences;
  if (dependencies.tokens != nullptr) audiences = dependencies.tokens->audiences();
  if (!options.token_issuers.empty()) {
    auto issuers =
        TRY(JwtIssuers::make(dependencies.webhooks->loops, dependencies.clock,
                             {.issuers = options.token_issuers, .api_audiences = audiences}));
    issuers_ = issuers.get();
    remote_tokens.push_back(std::move(issuers));
  }
  if (options.token_webhook) {
    WebhookTokensOptions wanted_tokens = *options.token_webhook;
    wanted_tokens.api_audiences = audiences;
    auto webhook = TRY(WebhookTokens::make(*dependencies.webhooks, std::move(wanted_tokens)));
    token_webhook_ = webhook.get();
    remote_tokens.push_back(std::move(webhook));
  }
  return remote_tokens;
}

void Access::write_metrics(MetricsText& text) const {
  admission_->write_metrics(text);
  metrics_.write(text);
}

void Access::stop() {
  authorization_.stop();
  if (issuers_ != nullptr) issuers_->stop();
  if (token_webhook_ != nullptr) token_webhook_->stop();
}

}  // namespace proa::apiserver
