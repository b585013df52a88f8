#include "controllers/access/account_tokens.h"

#include "api/object/edit.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "controllers/access/bootstrap_tokens.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "json/print.h"

namespace proa::controllers {
namespace account_tokens {

using api::Edit;
using api::View;
using client::Again;
using client::Key;

constexpr std::string_view kType = "kubernetes.io/service-account-token";
constexpr const char* kIndex = "account-tokens/account";

// The account of a Secret. An empty uid matches any account of the name.
struct AccountName {
  std::string name;
  std::string uid;

  bool means(const api::Object& account) const {
    return account.metadata().name == name && (uid.empty() || account.metadata().uid == uid);
  }
};

// With an empty name if the Secret is not a token or names no account.
const AccountName& account_of(const api::Object& secret) {
  return secret.kept<AccountName>([&]() -> AccountName {
    if (secret_type(secret) != kType) return {};
    const Result<json::Document> document = secret.document();
    if (!document) return {};
    const View annotations = View(document->root())["metadata"]["annotations"];
    return {std::string(annotations["kubernetes.io/service-account.name"].text()),
            std::string(annotations["kubernetes.io/service-account.uid"].text())};
  });
}

// The queue key of a deleted Secret: its name must be removed from the account's list.
struct StaleReference {
  std::string name_space;
  std::string secret;
  AccountName account;

  // Names contain no slash, so this is not the key of a Secret.
  Key queue_key() const { return {name_space, secret + "/" + account.name + "/" + account.uid}; }
  // Nullopt for the key of a Secret.
  static std::optional<StaleReference> from_queue_key(const Key& key) {
    const std::vector<std::string_view> parts = split(key.name, '/');
    if (parts.size() != 3) return std::nullopt;
    return StaleReference{
        key.name_space, std::string(parts[0]), {std::string(parts[1]), std::string(parts[2])}};
  }
};

// Fills in missing data; true if anything was missing.
class Filling {
 public:
  Filling(const ControllerOptions& options, const api::Object& account, const api::Object& secret)
      : options_(options), account_(account), secret_(secret) {}

  Result<bool> fill(Edit secret) const {
    const std::string authority = to_base64(options_.root_authority_pem);
    const View data = secret["data"];
    const bool needs_authority = !authority.empty() && data["ca.crt"].text() != authority;
    const bool needs_namespace = data["namespace"].text().empty();
    const bool needs_token = data["token"].text().empty();
    if (!needs_authority && !needs_namespace && !needs_token) return false;
    const Edit filled = secret.object("data");
    if (needs_authority) filled.set("ca.crt", authority);
    if (needs_namespace) filled.set("namespace", to_base64(secret_.metadata().name_space));
    if (needs_token) {
      const json::Document claims = legacy_claims(account_, secret_);
      const std::string token = TRY(options_.sign_token(claims.root()));
      filled.set("token", to_base64(token));
    }
    const Edit annotations = secret.object("metadata").object("annotations");
    annotations.set("kubernetes.io/service-account.name", account_.metadata().name);
    annotations.set("kubernetes.io/service-account.uid", account_.metadata().uid);
    return true;
  }

 private:
  const ControllerOptions& options_;
  const api::Object& account_;
  const api::Object& secret_;
};

// Removes that name; true if it was listed.
bool drop_reference(Edit account, std::string_view secret) {
  json::Value left = json::Value::array();
  for (const View one : account["secrets"].items()) {
    if (one["name"].text() == secret) continue;
    left.push_back(account.arena(), one.value()->copy(account.arena()));
  }
  if (left.size() == account["secrets"].size()) return false;
  account.set("secrets", std::move(left));
  return true;
}

class AccountTokens final : public Controller {
 public:
  explicit AccountTokens(const ControllerContext& context)
      : client_(context.client),
        options_(context.options),
        secret_resource_(*context.schema.find_resource("", "v1", "secrets")),
        account_resource_(*context.schema.find_resource("", "v1", "serviceaccounts")),
        secrets_(context.informers.of("", "secrets")),
        accounts_(context.informers.of("", "serviceaccounts")),
        freshness_(secrets_) {
    secrets_.add_index(kIndex, [](const api::Object& secret) -> std::vector<std::string> {
      const AccountName& account = account_of(secret);
      if (account.name.empty()) return {};
      return {Key{std::string(secret.metadata().name_space), account.name}.str()};
    });
  }

  void listen(client::WorkQueue& queue) override {
    secrets_.add_handler([&queue](const client::Change& change) {
      if (change.after != nullptr) {
        if (!account_of(*change.after).name.empty()) queue.add(change.key);
        return;
      }
      const AccountName& account = account_of(*change.before);
      if (account.name.empty()) return;
      queue.add(StaleReference{change.key.name_space, change.key.name, account}.queue_key());
    });
    accounts_.add_handler([this, &queue](const client::Change& change) {
      // An unchanged account keeps its tokens.
      if (change.before != nullptr && change.after != nullptr &&
          change.before->metadata().uid == change.after->metadata().uid) {
        return;
      }
      for (const api::ObjectPtr& secret : secrets_.cache().find(kIndex, change.key.str())) {
        queue.add(Key::of(*secret));
      }
    });
  }

  Result<Again> reconcile(const Key& key) override {
    if (const auto stale = StaleReference::from_queue_key(key)) return remove_reference(*stale);
    if (!freshness_.is_fresh(key)) return kNotYet;
    const api::ObjectPtr secret = secrets_.cache().get(key);
    if (secret == nullptr || account_of(*secret).name.empty()) {
      freshness_.forget(key);
      return Again{};
    }
    const api::ObjectPtr account = TRY(find_account(key, account_of(*secret)));
    if (account == nullptr) return remove(key, *secret);
    return fill(key, *account, *secret);
  }

 private:
  // Null if it does not exist on the server; the cache may be stale.
  Result<api::ObjectPtr> find_account(const Key& secret, const AccountName& wanted) {
    const Key key{secret.name_space, wanted.name};
    const api::ObjectPtr cached = accounts_.cache().get(key);
    if (cached != nullptr && wanted.means(*cached)) return cached;
    Result<api::ObjectPtr> found = client_.get(place_of(account_resource_, key));
    if (found.is(Reason::kNotFound)) return api::ObjectPtr();
    api::ObjectPtr account = TRY(std::move(found));
    return wanted.means(*account) ? account : nullptr;
  }

  Result<Again> remove(const Key& key, const api::Object& secret) {
    client::RemoveChoices choices;
    choices.uid = std::string(secret.metadata().uid);
    const Result<void> removed = client_.remove(place_of(secret_resource_, key), choices);
    if (removed.is(Reason::kConflict)) return Again{};  // replaced; its event is pending
    TRY(unless_gone(removed));
    return Again{};
  }

  Result<Again> fill(const Key& key, const api::Object& account, const api::Object& secret) {
    if (options_.sign_token == nullptr) return Again{};
    json::Document document = TRY(secret.document());
    const bool changed = TRY(Filling(options_, account, secret).fill(Edit(document)));
    if (!changed) return Again{};
    const Result<api::ObjectPtr> written =
        client_.update(place_of(secret_resource_, key), std::move(document), {});
    if (written.is(Reason::kConflict)) return Again{};  // the event of the change is pending
    freshness_.tried(key, written);
    TRY(unless_gone(written));
    return Again{};
  }

  Result<Again> remove_reference(const StaleReference& stale) {
    const Key account_key{stale.name_space, stale.account.name};
    const AccountName& wanted = stale.account;
    // Another Secret of that name exists.
    if (secrets_.cache().get({stale.name_space, stale.secret}) != nullptr) return Again{};
    const client::Place place = place_of(account_resource_, account_key);
    const api::ObjectPtr cached = accounts_.cache().get(account_key);
    if (cached == nullptr || !wanted.means(*cached)) return Again{};
    const Result<api::ObjectPtr> account = client_.get(place);
    if (account.is(Reason::kNotFound)) return Again{};
    if (!account) return account.status();
    if (!wanted.means(**account)) return Again{};
    json::Document document = TRY((*account)->document());
    if (!drop_reference(Edit(document), stale.secret)) return Again{};
    TRY(unless_gone(client_.update(place, std::move(document), {})));
    return Again{};
  }

  const client::BoundedClient client_;
  const ControllerOptions& options_;
  const api::Resource& secret_resource_;
  const api::Resource& account_resource_;
  client::Informer& secrets_;
  client::Informer& accounts_;
  Freshness freshness_;
};

}  // namespace account_tokens

json::Document legacy_claims(const api::Object& account, const api::Object& secret) {
  const std::string name_space(account.metadata().name_space);
  const std::string name(account.metadata().name);
  json::Document document({}, json::Value::object());
  const api::Edit claims(document);
  // In alphabetical order, as in upstream's tokens.
  claims.set("iss", "kubernetes/serviceaccount");
  claims.set("kubernetes.io/serviceaccount/namespace", name_space);
  claims.set("kubernetes.io/serviceaccount/secret.name", secret.metadata().name);
  claims.set("kubernetes.io/serviceaccount/service-account.name", name);
  claims.set("kubernetes.io/serviceaccount/service-account.uid", account.metadata().uid);
  claims.set("sub", "system:serviceaccount:" + name_space + ":" + name);
  return document;
}

std::unique_ptr<Controller> make_account_token_controller(const ControllerContext& context) {
  return std::make_unique<account_tokens::AccountTokens>(context);
}

}  // namespace proa::controllers
