#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"
#include "apiserver/access/authz/chain.h"
#include "apiserver/access/authz/node/node_authorizer.h"
#include "apiserver/access/authz/rbac/index.h"
#include "apiserver/access/authz/webhook/webhook_authorizer.h"
#include "store/store.h"

namespace proa::apiserver {

// An authorizer of an AuthorizationConfiguration.
struct ConfiguredAuthorizer {
  std::string type;
  std::string name;
  std::optional<WebhookAuthorizerOptions> webhook = std::nullopt;  // of the type Webhook
};

struct AuthorizationOptions {
  std::vector<std::string> modes = {"Node", "RBAC"};  // --authorization-mode
  // For the mode Webhook.
  std::optional<WebhookAuthorizerOptions> webhook = std::nullopt;
  // --authorization-config: instead of the modes, unless it is empty.
  std::vector<ConfiguredAuthorizer> configured = {};
};

// The types of authorizers that there are, ascending.
std::span<const std::string_view> authorizer_types();

// kInvalid if a mode is unknown, repeated or lacks its options, or if there is none.
Result<void> check_modes(const AuthorizationOptions& options);

// Builds the authorizer chain from mode names and owns what the authorizers share.
class Authorization {
 public:
  // Fails as check_modes(). `webhooks`: for remote authorizers; null: disabled. All arguments
  // outlive it.
  static Result<Authorization> make(const AuthorizationOptions& options, store::Store& store,
                                    const api::Schema& schema, const WebhookContext* webhooks);

  AuthorizerChain& chain() { return *chain_; }
  // Used in every mode: escalation checks apply to role writes in all of them.
  RbacIndex& roles() { return *roles_; }
  // Warms the authorizers' indexes so that first requests do not wait. Slow.
  void prepare();
  // Cancels waiting remote calls.
  void stop();

 private:
  std::unique_ptr<RbacIndex> roles_;
  std::unique_ptr<AuthorizerChain> chain_;
  NodeAuthorizer* nodes_ = nullptr;  // these are owned by the chain
  std::vector<WebhookAuthorizer*> webhooks_;
};

}  // namespace proa::apiserver
