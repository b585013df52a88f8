#include "apiserver/access/access.h"

#include "apiserver/access/admission/cluster/escalation.h"

namespace proa::apiserver {

Result<std::unique_ptr<Access>> Access::make(const AccessOptions& options, const Ground& ground) {
  Authorization authorization =
      TRY(Authorization::make(options.authorization, ground.store, ground.schema, ground.others));
  std::unique_ptr<Access> access(new Access(std::move(authorization)));
  auto others = TRY(access->make_others(options, ground));
  access->authentication_ = TRY(Authentication::make(options.authentication,
                                                     {.store = ground.store,
                                                      .schema = ground.schema,
                                                      .clock = ground.clock,
                                                      .random = ground.random,
                                                      .tokens = ground.tokens},
                                                     std::move(others)));
  auto plugins = TRY(make_plugins(options.plugins, {.store = ground.store,
                                                    .schema = ground.schema,
                                                    .clock = ground.clock,
                                                    .random = ground.random,
                                                    .authorizer = access->authorizer()}));
  // Not for anybody to switch off.
  plugins.push_back(std::make_unique<RbacEscalation>(
      access->authorizer(), access->authorization_.roles(), ground.schema));
  access->admission_ = std::make_unique<const AdmissionChain>(std::move(plugins));
  return access;
}

Result<std::vector<std::unique_ptr<TokenAuthenticator>>> Access::make_others(
    const AccessOptions& options, const Ground& ground) {
  std::vector<std::unique_ptr<TokenAuthenticator>> others;
  const bool wanted = !options.token_issuers.empty() || options.token_webhook;
  if (wanted && ground.others == nullptr) {
    return Status(Reason::kInvalid, "other servers can't be asked here");
  }
  std::vector<std::string> audiences;
  if (ground.tokens != nullptr) audiences = ground.tokens->audiences();
  if (!options.token_issuers.empty()) {
    auto issuers =
        TRY(JwtIssuers::make(ground.others->loops, ground.clock,
                             {.issuers = options.token_issuers, .api_audiences = audiences}));
    issuers_ = issuers.get();
    others.push_back(std::move(issuers));
  }
  if (options.token_webhook) {
    WebhookTokensOptions wanted_tokens = *options.token_webhook;
    wanted_tokens.api_audiences = audiences;
    auto webhook = TRY(WebhookTokens::make(*ground.others, std::move(wanted_tokens)));
    token_webhook_ = webhook.get();
    others.push_back(std::move(webhook));
  }
  return others;
}

void Access::stop() {
  authorization_.stop();
  if (issuers_ != nullptr) issuers_->stop();
  if (token_webhook_ != nullptr) token_webhook_->stop();
}

}  // namespace proa::apiserver
