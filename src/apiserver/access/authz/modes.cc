#include "apiserver/access/authz/modes.h"

#include <algorithm>

#include "apiserver/access/authz/always.h"
#include "apiserver/access/authz/privileged_group.h"
#include "apiserver/access/authz/rbac/rbac.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace modes {

// The dependencies of modes, and the state they share.
struct Context {
  store::Store& store;
  const api::Schema& schema;
  const WebhookContext* webhooks;
  RbacIndex& roles;
  NodeAuthorizer*& nodes;
  std::vector<WebhookAuthorizer*>& made_webhooks;
};

using Made = Result<std::unique_ptr<Authorizer>>;

Made make_rbac(const Context& context, const ConfiguredAuthorizer&) {
  return Made(std::make_unique<RbacAuthorizer>(context.roles));
}

Made make_node(const Context& context, const ConfiguredAuthorizer&) {
  auto made = std::make_unique<NodeAuthorizer>(context.store, context.schema);
  context.nodes = made.get();
  return Made(std::move(made));
}

Made make_webhook(const Context& context, const ConfiguredAuthorizer& wanted) {
  if (context.webhooks == nullptr) {
    return Status(Reason::kInvalid, "authorization webhooks are not supported by this server");
  }
  auto made = TRY(WebhookAuthorizer::make(*context.webhooks, *wanted.webhook));
  context.made_webhooks.push_back(made.get());
  return Made(std::move(made));
}

constexpr std::string_view kWebhook = "Webhook";

struct Entry {
  std::string_view name;
  Made (*make)(const Context& context, const ConfiguredAuthorizer& wanted);
};

// To add one: a unit, and a line here.
constexpr Entry kEntries[] = {
    {"Node", make_node},
    {"RBAC", make_rbac},
    {kWebhook, make_webhook},
    {"AlwaysAllow",
     [](const Context&, const ConfiguredAuthorizer&) {
       return Made(std::make_unique<AlwaysAllow>());
     }},
    {"AlwaysDeny",
     [](const Context&, const ConfiguredAuthorizer&) {
       return Made(std::make_unique<AlwaysDeny>());
     }},
};

std::vector<ConfiguredAuthorizer> authorizers_of(const AuthorizationOptions& options) {
  if (!options.configured.empty()) return options.configured;
  std::vector<ConfiguredAuthorizer> wanted;
  for (const std::string& mode : options.modes) {
    wanted.push_back({.type = mode, .name = to_lower(mode), .webhook = options.webhook});
  }
  return wanted;
}

const Entry* find(std::string_view name) {
  const auto* found = std::find_if(std::begin(kEntries), std::end(kEntries),
                                   [&](const Entry& entry) { return entry.name == name; });
  return found == std::end(kEntries) ? nullptr : found;
}

Status unknown(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) names.push_back(entry.name);
  return {Reason::kInvalid,
          "--authorization-mode: unknown mode " + name + "; known: " + join(names, ", ")};
}

}  // namespace modes

std::span<const std::string_view> authorizer_types() {
  static constexpr std::string_view kTypes[] = {"AlwaysAllow", "AlwaysDeny", "Node", "RBAC",
                                                "Webhook"};
  return kTypes;
}

Result<void> check_modes(const AuthorizationOptions& options) {
  if (!options.configured.empty()) return {};
  std::vector<std::string> seen;
  for (const std::string& name : options.modes) {
    if (modes::find(name) == nullptr) return modes::unknown(name);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      return Status(Reason::kInvalid, "--authorization-mode names " + name + " twice");
    }
    if (name == modes::kWebhook && !options.webhook) {
      return Status(Reason::kInvalid,
                    "--authorization-mode Webhook needs --authorization-webhook-config-file");
    }
    seen.push_back(name);
  }
  if (seen.empty()) return Status(Reason::kInvalid, "--authorization-mode is empty");
  return {};
}

Result<Authorization> Authorization::make(const AuthorizationOptions& options, store::Store& store,
                                          const api::Schema& schema,
                                          const WebhookContext* webhooks) {
  TRY(check_modes(options));
  Authorization made;
  made.roles_ = std::make_unique<RbacIndex>(store, schema);
  std::vector<std::unique_ptr<Authorizer>> authorizers;
  // In every mode: administrators must be able to repair broken roles.
  authorizers.push_back(std::make_unique<PrivilegedGroup>());
  for (const ConfiguredAuthorizer& wanted : modes::authorizers_of(options)) {
    std::unique_ptr<Authorizer> authorizer = TRY(
        modes::find(wanted.type)
            ->make({store, schema, webhooks, *made.roles_, made.nodes_, made.webhooks_}, wanted));
    authorizers.push_back(std::move(authorizer));
  }
  made.chain_ = std::make_unique<AuthorizerChain>(std::move(authorizers));
  return made;
}

void Authorization::prepare() {
  roles_->read([](const AccessTable&) {});
  if (nodes_ != nullptr) nodes_->prepare();
}

void Authorization::stop() {
  for (WebhookAuthorizer* webhook : webhooks_) webhook->stop();
}

}  // namespace proa::apiserver
