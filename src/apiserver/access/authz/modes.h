#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/schema/schema.h"
#include "apiserver/access/authz/chain.h"
#include "apiserver/access/authz/node/node_authorizer.h"
#include "apiserver/access/authz/rbac/index.h"
#include "apiserver/access/authz/webhook/webhook_authorizer.h"
#include "store/store.h"

namespace proa::apiserver {

struct AuthorizationOptions {
  std::vector<std::string> modes = {"Node", "RBAC"};  // --authorization-mode
  // Of the mode Webhook.
  std::optional<WebhookAuthorizerOptions> webhook = std::nullopt;
};

// The chain of authorizers by their names, and what they share.
class Authorization {
 public:
  // kInvalid for a mode that there is not, that is named twice, or that lacks something.
  // `others`: how other servers are asked; null: they can't be. Everything outlives it.
  static Result<Authorization> make(const AuthorizationOptions& options, store::Store& store,
                                    const api::Schema& schema, const WebhookContext* others);

  AuthorizerChain& chain() { return *chain_; }
  // Whatever the mode: nobody writes roles beyond what he holds.
  RbacIndex& roles() { return *roles_; }
  // Fills what authorizers keep of the store, which else the first requests would wait for. Takes
  // its time.
  void prepare();
  // Calls off what waits for other servers.
  void stop();

 private:
  std::unique_ptr<RbacIndex> roles_;
  std::unique_ptr<AuthorizerChain> chain_;
  NodeAuthorizer* nodes_ = nullptr;  // of the chain, both
  WebhookAuthorizer* webhook_ = nullptr;
};

}  // namespace proa::apiserver
