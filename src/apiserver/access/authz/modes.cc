#include "apiserver/access/authz/modes.h"

#include <algorithm>

#include "apiserver/access/authz/always.h"
#include "apiserver/access/authz/counted_authorizer.h"
#include "apiserver/access/authz/privileged_group.h"
#include "apiserver/access/authz/rbac/rbac.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace modes {

constexpr std::string_view kNode = "Node";
constexpr std::string_view kRbac = "RBAC";
constexpr std::string_view kWebhook = "Webhook";
// Ascending. To add one: a unit, and a line here and in Authorization::lasting().
constexpr std::string_view kTypes[] = {"AlwaysAllow", "AlwaysDeny", kNode, kRbac, kWebhook};

std::vector<ConfiguredAuthorizer> authorizers_of(const AuthorizationOptions& options) {
  if (!options.configured.empty()) return options.configured;
  std::vector<ConfiguredAuthorizer> wanted;
  for (const std::string& mode : options.modes) {
    // Upstream's names.
    const bool is_webhook = mode == kWebhook;
    wanted.push_back({.type = mode,
                      .name = is_webhook ? "default" : to_lower(mode),
                      .webhook = is_webhook ? options.webhook : std::nullopt});
  }
  return wanted;
}

Status unknown(const std::string& name) {
  return {Reason::kInvalid, "--authorization-mode: unknown mode " + name +
                                "; known: Node, RBAC, Webhook, AlwaysAllow, AlwaysDeny"};
}

// Without webhooks, ascending.
std::vector<std::string> lasting_types(const std::vector<ConfiguredAuthorizer>& authorizers) {
  std::vector<std::string> types;
  for (const ConfiguredAuthorizer& one : authorizers) {
    if (one.type != kWebhook) types.push_back(one.type);
  }
  std::ranges::sort(types);
  return types;
}

}  // namespace modes

// Every question is for one chain, even if others follow it meanwhile.
class Authorization::Current final : public Authorizer {
 public:
  explicit Current(const Replaceable<Chain>& chain) : chain_(chain) {}

  Verdict authorize(const Attributes& attributes) override {
    return chain_.get()->authorizers->authorize(attributes);
  }
  bool may_wait(const Attributes& attributes) const override {
    return chain_.get()->authorizers->may_wait(attributes);
  }
  std::optional<Verdict> authorize_now(const Attributes& attributes) override {
    return chain_.get()->authorizers->authorize_now(attributes);
  }
  void list_rules(const User& user, std::string_view name_space, RuleList& rules) override {
    chain_.get()->authorizers->list_rules(user, name_space, rules);
  }

 private:
  const Replaceable<Chain>& chain_;
};

std::span<const std::string_view> authorizer_types() { return modes::kTypes; }

Result<void> check_modes(const AuthorizationOptions& options) {
  if (!options.configured.empty()) return {};
  std::vector<std::string> seen;
  for (const std::string& name : options.modes) {
    if (std::ranges::find(modes::kTypes, name) == std::end(modes::kTypes))
      return modes::unknown(name);
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

Result<std::unique_ptr<Authorization>> Authorization::make(const AuthorizationOptions& options,
                                                           const Context& context) {
  TRY(check_modes(options));
  std::unique_ptr<Authorization> made(new Authorization(context));
  const std::vector<ConfiguredAuthorizer> wanted = modes::authorizers_of(options);
  made->types_ = modes::lasting_types(wanted);
  const auto begins_with = [&](std::string_view type) {
    return std::ranges::find(made->types_, type) != made->types_.end();
  };
  if (begins_with(modes::kRbac)) made->rbac_ = std::make_shared<RbacAuthorizer>(made->roles_);
  if (begins_with(modes::kNode))
    made->nodes_ = std::make_shared<NodeAuthorizer>(context.store, context.schema);
  std::shared_ptr<Chain> first = TRY(made->make_chain(wanted));
  made->authorizer_ = first->authorizers.get();
  made->chain_ = std::make_unique<Replaceable<Chain>>(std::move(first));
  if (!options.configured.empty()) {
    made->current_ = std::make_unique<Current>(*made->chain_);
    made->authorizer_ = made->current_.get();
  }
  return made;
}

std::shared_ptr<Authorizer> Authorization::lasting(const std::string& type) {
  if (type == modes::kRbac) return rbac_;
  if (type == modes::kNode) return nodes_;
  if (type == "AlwaysAllow") return std::make_shared<AlwaysAllow>();
  return type == "AlwaysDeny" ? std::make_shared<AlwaysDeny>() : nullptr;
}

Result<std::shared_ptr<WebhookAuthorizer>> Authorization::make_webhook(
    const ConfiguredAuthorizer& wanted) const {
  if (context_.webhooks == nullptr) {
    return Status(Reason::kInvalid, "authorization webhooks are not supported by this server");
  }
  WebhookAuthorizerOptions options = *wanted.webhook;
  options.name = wanted.name;
  auto made =
      TRY(WebhookAuthorizer::make(*context_.webhooks, std::move(options), &context_.metrics));
  return std::shared_ptr<WebhookAuthorizer>(std::move(made));
}

Result<std::shared_ptr<Authorization::Chain>> Authorization::make_chain(
    const std::vector<ConfiguredAuthorizer>& wanted) {
  auto chain = std::make_shared<Chain>();
  std::vector<std::shared_ptr<Authorizer>> authorizers;
  // In every mode: administrators must be able to repair broken roles.
  authorizers.push_back(std::make_shared<PrivilegedGroup>());
  for (const ConfiguredAuthorizer& one : wanted) {
    std::shared_ptr<Authorizer> made;
    if (one.type == modes::kWebhook) {
      std::shared_ptr<WebhookAuthorizer> webhook = TRY(make_webhook(one));
      chain->webhooks.push_back(webhook);
      made = std::move(webhook);
    } else {
      made = lasting(one.type);
    }
    if (made == nullptr) {
      return Status(Reason::kInvalid,
                    "authorizer type " + one.type +
                        " is not allowed if it was not enabled at initial server startup");
    }
    authorizers.push_back(
        std::make_shared<CountedAuthorizer>(std::move(made), one.type, one.name, context_.metrics));
  }
  chain->authorizers = std::make_unique<AuthorizerChain>(std::move(authorizers));
  return chain;
}

Result<void> Authorization::replace(const std::vector<ConfiguredAuthorizer>& wanted) {
  CHECK(current_ != nullptr);
  const std::vector<std::string> present = modes::lasting_types(wanted);
  std::vector<std::string> missing;
  std::ranges::set_difference(types_, present, std::back_inserter(missing));
  if (!missing.empty()) {
    return Status(Reason::kInvalid, "missing required types: [" + join(missing, " ") + "]");
  }
  std::shared_ptr<Chain> next = TRY(make_chain(wanted));
  chain_->replace(std::move(next));
  return {};
}

void Authorization::release_former() { chain_->release_former(); }

void Authorization::prepare() {
  roles_.read([](const AccessTable&) {});
  if (nodes_ != nullptr) nodes_->prepare();
}

void Authorization::stop() {
  for (const std::shared_ptr<Chain>& chain : chain_->all()) {
    for (const std::shared_ptr<WebhookAuthorizer>& webhook : chain->webhooks) webhook->stop();
  }
}

}  // namespace proa::apiserver
