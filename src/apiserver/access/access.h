#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/access/admission/admission_metrics.h"
#include "apiserver/access/admission/chain.h"
#include "apiserver/access/admission/plugins.h"
#include "apiserver/access/admission/policies/params.h"
#include "apiserver/access/authn/chain.h"
#include "apiserver/access/authn/jwt/jwt_issuers.h"
#include "apiserver/access/authn/webhook/webhook_tokens.h"
#include "apiserver/access/authz/chain.h"
#include "apiserver/access/authz/modes.h"
#include "apiserver/access/followed_configuration.h"

namespace proa::apiserver {

// Options of authentication, authorization and admission.
struct AccessOptions {
  AuthenticationOptions authentication = {};
  std::vector<JwtIssuer> token_issuers = {};  // --authentication-config, --oidc-issuer-url
  std::optional<WebhookTokensOptions> token_webhook = std::nullopt;
  AuthorizationOptions authorization = {};
  PluginChoice plugins = {};
  std::vector<IpPrefix> pod_ranges = {};  // see AdmissionContext
  // --authentication-config and --authorization-config, whose content is in the fields above:
  // followed while the server runs.
  std::optional<ConfigurationFile> authentication_file = std::nullopt;
  std::optional<ConfigurationFile> authorization_file = std::nullopt;
  std::string server = "";  // its identity, for metrics
};

// The three chains that a request passes, each built from its table.
class Access {
 public:
  // All outlive it.
  struct Dependencies {
    store::Store& store;
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    const ServiceAccountTokens* tokens = nullptr;  // null: service account tokens are disabled
    // for remote authenticators and authorizers; null: disabled
    const WebhookContext* webhooks = nullptr;
    // for webhooks that objects of the cluster name; null: they fail
    HookCaller* hooks = nullptr;
  };
  // Fails with kInvalid if the options are inconsistent.
  static Result<std::unique_ptr<Access>> make(const AccessOptions& options,
                                              const Dependencies& dependencies);

  Authentication& authentication() { return *authentication_; }
  Authorizer& authorizer() { return authorization_->authorizer(); }
  const AdmissionChain& admission() const { return *admission_; }
  AuthorizationAttempts& authorization_attempts() { return authorization_attempts_; }
  // The metrics of authentication, authorization, admission and reloads.
  void write_metrics(MetricsText& text) const;
  // Warms the indexes so that first requests do not wait. Slow.
  void prepare() { authorization_->prepare(); }
  // Cancels waiting remote calls and refuses further ones. Follows no files any more.
  void stop();

 private:
  Result<std::vector<std::unique_ptr<TokenAuthenticator>>> make_remote_tokens(
      const AccessOptions& options, const Dependencies& dependencies);
  explicit Access(const Dependencies& dependencies)
      : authorization_attempts_(dependencies.clock),
        metrics_(dependencies.clock),
        params_(dependencies.store, dependencies.schema) {}
  Result<void> follow_files(const AccessOptions& options, const Dependencies& dependencies);
  Result<bool> set_authentication(const std::string& text, const std::vector<std::string>& own,
                                  const std::optional<AnonymousOptions>& anonymous,
                                  const Until& until);
  Result<bool> set_authorization(const std::string& text, Files& files);

  AuthorizationMetrics authorization_metrics_;
  AuthorizationAttempts authorization_attempts_;
  std::unique_ptr<Authorization> authorization_;
  JwtIssuers* issuers_ = nullptr;  // both owned by the authentication
  WebhookTokens* token_webhook_ = nullptr;
  std::unique_ptr<Authentication> authentication_;
  AdmissionMetrics metrics_;
  PolicyParams params_;
  std::unique_ptr<const AdmissionChain> admission_;
  std::string authorization_meaning_;                           // of the configuration in force
  std::unique_ptr<FollowedConfiguration> authentication_file_;  // null: not followed
  std::unique_ptr<FollowedConfiguration> authorization_file_;
};

}  // namespace proa::apiserver
