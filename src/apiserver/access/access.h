#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/access/admission/chain.h"
#include "apiserver/access/admission/plugins.h"
#include "apiserver/access/authn/chain.h"
#include "apiserver/access/authn/jwt/jwt_issuers.h"
#include "apiserver/access/authn/webhook/webhook_tokens.h"
#include "apiserver/access/authz/chain.h"
#include "apiserver/access/authz/modes.h"

namespace proa::apiserver {

// Who gets in, what he may do, and what becomes of what he wants to store.
struct AccessOptions {
  AuthenticationOptions authentication = {};
  std::vector<JwtIssuer> token_issuers = {};  // --authentication-config, --oidc-issuer-url
  std::optional<WebhookTokensOptions> token_webhook = std::nullopt;
  AuthorizationOptions authorization = {};
  PluginChoice plugins = {};
};

// The three chains that a request passes, each made out of its table.
class Access {
 public:
  // What it stands on. Everything outlives it.
  struct Ground {
    store::Store& store;
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    const ServiceAccountTokens* tokens = nullptr;  // null: there are none
    const WebhookContext* others = nullptr;        // how other servers are asked; null: not at all
  };
  // kInvalid for options that can't be.
  static Result<std::unique_ptr<Access>> make(const AccessOptions& options, const Ground& ground);

  Authentication& authentication() { return *authentication_; }
  Authorizer& authorizer() { return authorization_.chain(); }
  const AdmissionChain& admission() const { return *admission_; }
  // Fills what is kept of the store, which else the first requests would wait for. Takes its time.
  void prepare() { authorization_.prepare(); }
  // Calls off what waits for other servers; they are not asked any more.
  void stop();

 private:
  Result<std::vector<std::unique_ptr<TokenAuthenticator>>> make_others(const AccessOptions& options,
                                                                       const Ground& ground);
  Access(Authorization authorization) : authorization_(std::move(authorization)) {}

  Authorization authorization_;
  JwtIssuers* issuers_ = nullptr;  // of the authentication, both
  WebhookTokens* token_webhook_ = nullptr;
  std::unique_ptr<Authentication> authentication_;
  std::unique_ptr<const AdmissionChain> admission_;
};

}  // namespace proa::apiserver
