#include "controllers/access/bootstrap_controllers.h"

#include <algorithm>
#include <map>

#include "api/object/edit.h"
#include "controllers/access/bootstrap_tokens.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "json/print.h"

namespace proa::controllers {
namespace bootstrap_controllers {

using client::Again;
using client::Key;

constexpr std::string_view kSignaturePrefix = "jws-kubeconfig-";

bool concerns_bootstrap_token(const client::Change& change) {
  return (change.before != nullptr && is_bootstrap_token(*change.before)) ||
         (change.after != nullptr && is_bootstrap_token(*change.after));
}

using Signatures = std::map<std::string, std::string, std::less<>>;

Signatures signatures_in(api::View data) {
  Signatures found;
  for (const json::Member& member : data.members()) {
    if (!std::string_view(member.key).starts_with(kSignaturePrefix)) continue;
    found.emplace(member.key, api::View(member.value).text());
  }
  return found;
}

class Signer final : public Controller {
 public:
  explicit Signer(const ControllerContext& context)
      : client_(context.client),
        clock_(context.clock),
        resource_(*context.schema.find_resource("", "v1", "configmaps")),
        maps_(context.informers.of("", "configmaps")),
        secrets_(context.informers.of("", "secrets")),
        freshness_(maps_) {}

  size_t workers() const override { return 1; }

  void listen(client::WorkQueue& queue) override {
    maps_.add_handler([this, &queue](const client::Change& change) {
      if (change.key == key_ && change.after != nullptr) queue.add(key_);
    });
    secrets_.add_handler([this, &queue](const client::Change& change) {
      if (concerns_bootstrap_token(change)) queue.add(key_);
    });
  }

  Result<Again> reconcile(const Key& key) override {
    if (!freshness_.is_fresh(key)) return kNotYet;
    const api::ObjectPtr map = maps_.cache().get(key);
    if (map == nullptr) return Again{};
    json::Document document = TRY(map->document());
    const api::View data = api::View(document.root())["data"];
    if (!data["kubeconfig"].exists()) return Again{};
    const Wanted wanted = TRY(wanted_signatures(data["kubeconfig"].text()));
    const Signatures held = signatures_in(data);
    if (held == wanted.signatures) return wanted.again;
    const api::Edit edited = api::Edit(document).object("data");
    for (const auto& [name, signature] : held) edited.remove(name);
    for (const auto& [name, signature] : wanted.signatures) edited.set(name, signature);
    const Result<api::ObjectPtr> written =
        client_.update(place_of(resource_, key), std::move(document), {});
    freshness_.tried(key, written);
    TRY(unless_gone(written));
    return wanted.again;
  }

 private:
  struct Wanted {
    Signatures signatures;
    Again again;  // when the first token expires
  };

  Result<Wanted> wanted_signatures(std::string_view content) const {
    Wanted wanted;
    const Time now = clock_.now();
    for (const api::ObjectPtr& secret : secrets_.cache().list("kube-system")) {
      if (!is_bootstrap_token(*secret)) continue;
      const json::Document document = TRY(secret->document());
      const std::optional<BootstrapToken> token = signing_token(document.root(), now);
      if (!token) continue;
      wanted.signatures.emplace(std::string(kSignaturePrefix) + token->id,
                                detached_signature(content, *token));
      const std::optional<Time> end = end_of_bootstrap_token(document.root());
      if (!end) continue;
      const Duration left = *end - now;
      wanted.again.after =
          wanted.again.after == Duration{} ? left : std::min(wanted.again.after, left);
    }
    return wanted;
  }

  const Key key_{"kube-public", "cluster-info"};
  const client::BoundedClient client_;
  Clock& clock_;
  const api::Resource& resource_;
  client::Informer& maps_;
  client::Informer& secrets_;
  Freshness freshness_;
};

class TokenCleaner final : public Controller {
 public:
  explicit TokenCleaner(const ControllerContext& context)
      : client_(context.client),
        clock_(context.clock),
        resource_(*context.schema.find_resource("", "v1", "secrets")),
        secrets_(context.informers.of("", "secrets")) {}

  size_t workers() const override { return 1; }

  void listen(client::WorkQueue& queue) override {
    secrets_.add_handler([&queue](const client::Change& change) {
      if (change.after != nullptr && is_bootstrap_token(*change.after)) queue.add(change.key);
    });
  }

  Result<Again> reconcile(const Key& key) override {
    const api::ObjectPtr secret = secrets_.cache().get(key);
    if (secret == nullptr || !is_bootstrap_token(*secret)) return Again{};
    const json::Document document = TRY(secret->document());
    const std::optional<Time> end = end_of_bootstrap_token(document.root());
    if (!end) return Again{};
    const Time now = clock_.now();
    if (now < *end) return Again{*end - now};
    client::RemoveChoices choices;
    choices.uid = std::string(secret->metadata().uid);
    const Result<void> removed = client_.remove(place_of(resource_, key), choices);
    // kConflict: it was replaced; the event is pending.
    if (removed.is(Reason::kConflict)) return Again{};
    TRY(unless_gone(removed));
    return Again{};
  }

 private:
  const client::BoundedClient client_;
  Clock& clock_;
  const api::Resource& resource_;
  client::Informer& secrets_;
};

}  // namespace bootstrap_controllers

std::unique_ptr<Controller> make_bootstrap_signer(const ControllerContext& context) {
  return std::make_unique<bootstrap_controllers::Signer>(context);
}

std::unique_ptr<Controller> make_bootstrap_token_cleaner(const ControllerContext& context) {
  return std::make_unique<bootstrap_controllers::TokenCleaner>(context);
}

}  // namespace proa::controllers
