#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"
#include "apiserver/access/authz/authorization_metrics.h"
#include "apiserver/access/authz/chain.h"
#include "apiserver/access/authz/node/node_authorizer.h"
#include "apiserver/access/authz/rbac/index.h"
#include "apiserver/access/authz/webhook/webhook_authorizer.h"
#include "base/threads/replaceable.h"
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

// The authorizers of a server, and what they share.
class Authorization {
 public:
  // All outlive it.
  struct Context {
    store::Store& store;
    const api::Schema& schema;
    const WebhookContext* webhooks;  // for remote authorizers; null: disabled
    AuthorizationMetrics& metrics;
  };
  // Fails as check_modes().
  static Result<std::unique_ptr<Authorization>> make(const AuthorizationOptions& options,
                                                     const Context& context);

  Authorizer& authorizer() { return *authorizer_; }
  // Used in every mode: escalation checks apply to role writes in all of them.
  RbacIndex& roles() { return roles_; }
  // Asks these authorizers instead. Requests that are being authorized end with the former ones.
  // As upstream, only webhooks come and go: fails with kInvalid if a type is missing that the
  // server began with, or if there is one that needs what only a start can make. REQUIRES: made
  // with `configured` options; one thread at a time, not a loop's.
  Result<void> replace(const std::vector<ConfiguredAuthorizer>& wanted);
  // Drops former webhooks that no request waits for. REQUIRES: as replace().
  void release_former();
  // Warms the authorizers' indexes so that first requests do not wait. Slow.
  void prepare();
  // Cancels waiting remote calls.
  void stop();

 private:
  struct Chain {
    std::unique_ptr<AuthorizerChain> authorizers;
    std::vector<std::shared_ptr<WebhookAuthorizer>> webhooks;  // of them
  };
  class Current;

  explicit Authorization(const Context& context)
      : context_(context), roles_(context.store, context.schema) {}
  // An authorizer that no configuration changes, once made; null: it is of another type.
  std::shared_ptr<Authorizer> lasting(const std::string& type);
  Result<std::shared_ptr<WebhookAuthorizer>> make_webhook(const ConfiguredAuthorizer& wanted) const;
  Result<std::shared_ptr<Chain>> make_chain(const std::vector<ConfiguredAuthorizer>& wanted);

  const Context context_;
  RbacIndex roles_;
  std::vector<std::string> types_;  // those that the server began with, without webhooks; ascending
  std::shared_ptr<Authorizer> rbac_;  // null: not among them
  std::shared_ptr<NodeAuthorizer> nodes_;
  std::unique_ptr<Replaceable<Chain>> chain_;
  std::unique_ptr<Authorizer> current_;  // asks the chain that is current; null: there is only one
  Authorizer* authorizer_ = nullptr;
};

}  // namespace proa::apiserver
