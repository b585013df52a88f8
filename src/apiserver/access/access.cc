#include "apiserver/access/access.h"

#include "api/validation/field_errors.h"
#include "apiserver/access/admission/cluster/device_admin_access.h"
#include "apiserver/access/admission/cluster/escalation.h"
#include "apiserver/access/admission/policies/param_access.h"
#include "apiserver/access/authn/jwt/configuration.h"
#include "apiserver/access/authz/configuration/configuration.h"

namespace proa::apiserver {
namespace access {

constexpr ReloadFamilies kAuthentication{
    .reloads = {"apiserver_authentication_config_controller_automatic_reloads_total",
                "Total number of automatic reloads of authentication configuration split by status "
                "and apiserver identity.",
                MetricKind::kCounter,
                {"status", "apiserver_id_hash"}},
    .reloaded =
        {"apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds",
         "Timestamp of the last automatic reload of authentication configuration split by status "
         "and apiserver identity.",
         MetricKind::kGauge,
         {"status", "apiserver_id_hash"}},
    .in_force = {"apiserver_authentication_config_controller_last_config_info",
                 "Information about the last applied authentication configuration with hash as "
                 "label, split by apiserver identity.",
                 MetricKind::kGauge,
                 {"apiserver_id_hash", "hash"}}};
constexpr ReloadFamilies kAuthorization{
    .reloads = {"apiserver_authorization_config_controller_automatic_reloads_total",
                "Total number of automatic reloads of authorization configuration split by status "
                "and apiserver identity.",
                MetricKind::kCounter,
                {"status", "apiserver_id_hash"}},
    .reloaded =
        {"apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds",
         "Timestamp of the last automatic reload of authorization configuration split by status "
         "and apiserver identity.",
         MetricKind::kGauge,
         {"status", "apiserver_id_hash"}},
    .in_force = {"apiserver_authorization_config_controller_last_config_info",
                 "Information about the last applied authorization configuration with hash as "
                 "label, split by apiserver identity.",
                 MetricKind::kGauge,
                 {"apiserver_id_hash", "hash"}}};

Status anonymous_changed() {
  api::FieldErrors errors;
  errors.forbidden(api::Path("anonymous"), "changed from initial configuration file");
  return {Reason::kInvalid, errors.texts().front()};
}

}  // namespace access

Result<std::unique_ptr<Access>> Access::make(const AccessOptions& options,
                                             const Dependencies& dependencies) {
  std::unique_ptr<Access> access(new Access(dependencies));
  access->authorization_ =
      TRY(Authorization::make(options.authorization, {.store = dependencies.store,
                                                      .schema = dependencies.schema,
                                                      .webhooks = dependencies.webhooks,
                                                      .metrics = access->authorization_metrics_}));
  auto remote_tokens = TRY(access->make_remote_tokens(options, dependencies));
  access->authentication_ = TRY(Authentication::make(options.authentication,
                                                     {.store = dependencies.store,
                                                      .schema = dependencies.schema,
                                                      .clock = dependencies.clock,
                                                      .random = dependencies.random,
                                                      .tokens = dependencies.tokens},
                                                     std::move(remote_tokens)));
  const AdmissionContext context{.store = dependencies.store,
                                 .schema = dependencies.schema,
                                 .clock = dependencies.clock,
                                 .random = dependencies.random,
                                 .authorizer = access->authorizer(),
                                 .metrics = access->metrics_,
                                 .params = access->params_,
                                 .hooks = dependencies.hooks,
                                 .pod_ranges = options.pod_ranges};
  auto plugins = TRY(make_plugins(options.plugins, context));
  // These cannot be disabled, and are no plugins of upstream's.
  plugins.push_back(
      {"", std::make_unique<RbacEscalation>(access->authorizer(), access->authorization_->roles(),
                                            dependencies.schema)});
  plugins.push_back({"", std::make_unique<ParamAccess>(context)});
  plugins.push_back(
      {"", std::make_unique<DeviceAdminAccess>(dependencies.store, dependencies.schema)});
  access->admission_ =
      std::make_unique<const AdmissionChain>(std::move(plugins), dependencies.clock);
  TRY(access->follow_files(options, dependencies));
  return access;
}

Result<void> Access::follow_files(const AccessOptions& options, const Dependencies& dependencies) {
  if (dependencies.webhooks == nullptr) return {};
  Files& files = dependencies.webhooks->files;
  if (options.authentication_file) {
    std::vector<std::string> own;
    if (dependencies.tokens != nullptr) own.push_back(dependencies.tokens->issuer());
    const auto initial =
        TRY(read_authentication_configuration(options.authentication_file->text, own));
    authentication_file_ = std::make_unique<FollowedConfiguration>(
        FollowedConfiguration::Options{.subject = "authentication",
                                       .families = access::kAuthentication,
                                       .file = *options.authentication_file,
                                       .server = options.server,
                                       .tidy = [this] { issuers_->release_former(); }},
        files, dependencies.clock,
        [this, own, anonymous = initial.anonymous](const std::string& text, const Until& until) {
          return set_authentication(text, own, anonymous, until);
        });
    TRY(authentication_file_->start());
  }
  if (options.authorization_file) {
    const auto initial =
        TRY(read_authorization_configuration(options.authorization_file->text, files));
    authorization_meaning_ = initial.meaning;
    authorization_file_ = std::make_unique<FollowedConfiguration>(
        FollowedConfiguration::Options{.subject = "authorization",
                                       .families = access::kAuthorization,
                                       .file = *options.authorization_file,
                                       .server = options.server,
                                       .tidy = [this] { authorization_->release_former(); }},
        files, dependencies.clock, [this, &files](const std::string& text, const Until&) {
          return set_authorization(text, files);
        });
    TRY(authorization_file_->start());
  }
  return {};
}

// As upstream, who may be anonymous is decided at the start.
Result<bool> Access::set_authentication(const std::string& text,
                                        const std::vector<std::string>& own,
                                        const std::optional<AnonymousOptions>& anonymous,
                                        const Until& until) {
  const AuthenticationConfiguration next = TRY(read_authentication_configuration(text, own));
  if (next.anonymous != anonymous) return access::anonymous_changed();
  TRY(issuers_->replace(next.issuers, until));
  return true;
}

Result<bool> Access::set_authorization(const std::string& text, Files& files) {
  const AuthorizationConfiguration next = TRY(read_authorization_configuration(text, files));
  if (next.meaning == authorization_meaning_) return false;
  TRY(authorization_->replace(next.authorizers));
  authorization_meaning_ = next.meaning;
  return true;
}

Result<std::vector<std::unique_ptr<TokenAuthenticator>>> Access::make_remote_tokens(
    const AccessOptions& options, const Dependencies& dependencies) {
  std::vector<std::unique_ptr<TokenAuthenticator>> remote_tokens;
  // A configuration without issuers may get some.
  const bool wants_issuers = !options.token_issuers.empty() || options.authentication_file;
  const bool wanted = wants_issuers || options.token_webhook;
  if (wanted && dependencies.webhooks == nullptr) {
    return Status(Reason::kInvalid, "token issuers and webhooks are not supported by this server");
  }
  std::vector<std::string> audiences;
  if (dependencies.tokens != nullptr) audiences = dependencies.tokens->audiences();
  if (wants_issuers) {
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
  authentication_->write_metrics(text);
  authorization_metrics_.write(text);
  authorization_attempts_.write(text);
  admission_->write_metrics(text);
  metrics_.write(text);
  if (authentication_file_ != nullptr) authentication_file_->write_metrics(text);
  if (authorization_file_ != nullptr) authorization_file_->write_metrics(text);
}

void Access::stop() {
  if (authentication_file_ != nullptr) authentication_file_->stop();
  if (authorization_file_ != nullptr) authorization_file_->stop();
  authorization_->stop();
  if (issuers_ != nullptr) issuers_->stop();
  if (token_webhook_ != nullptr) token_webhook_->stop();
}

}  // namespace proa::apiserver
