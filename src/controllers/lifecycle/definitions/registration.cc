#include "controllers/lifecycle/definitions/registration.h"

#include <algorithm>

#include "base/strings.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "controllers/lifecycle/definitions/objects.h"

namespace proa::controllers {
namespace definition_registration {

using api::Edit;
using api::ObjectPtr;
using api::View;
using client::Again;
using client::Key;
using definitions::Registration;

constexpr std::string_view kRegistrationGroup = "apiregistration.k8s.io";
constexpr std::string_view kManaged = "kube-aggregator.kubernetes.io/automanaged";
constexpr std::string_view kAlways = "true";
// Custom groups come after the built-in ones, in the order of their versions' names.
constexpr int64_t kGroupPriority = 1000;
constexpr int64_t kVersionPriority = 100;

bool is_managed(const api::Object& service) {
  const std::string_view* managed = service.metadata().label(kManaged);
  return managed != nullptr && *managed == kAlways;
}

class DefinitionRegistration final : public Controller {
 public:
  explicit DefinitionRegistration(const ControllerContext& context)
      : client_(context.client),
        resource_(*context.schema.find_resource(kRegistrationGroup, "v1", "apiservices")),
        definitions_(definitions::informer_of(context.informers)),
        services_(context.informers.of(kRegistrationGroup, "apiservices")),
        freshness_(services_) {}

  // Keys are names of APIServices.
  void listen(client::WorkQueue& queue) override {
    definitions_.add_handler([&queue](const client::Change& change) {
      const auto versions = [](const ObjectPtr& object) {
        return object == nullptr ? std::vector<definitions::Version>()
                                 : definitions::facts_of(*object).spec.versions;
      };
      const auto before = versions(change.before);
      const auto after = versions(change.after);
      if (before == after) return;
      const std::string group = definitions::group_of(change.key.name);
      for (const auto& list : {before, after}) {
        for (const definitions::Version& version : list) {
          queue.add({{}, version.name + "." + group});
        }
      }
    });
    services_.add_handler([&queue](const client::Change& change) {
      const bool concerns_us = (change.before != nullptr && is_managed(*change.before)) ||
                               (change.after != nullptr && is_managed(*change.after));
      if (concerns_us) queue.add(change.key);
    });
  }

  Result<Again> reconcile(const Key& key) override {
    if (!freshness_.is_fresh(key)) return kNotYet;
    const std::optional<Halves> halves = split_once(key.name, '.');
    if (!halves) return Again{};
    const std::vector<ObjectPtr> group =
        definitions_.cache().find(definitions::kByGroup, std::string(halves->after));
    const ObjectPtr object = services_.cache().get(key);
    json::Document current;
    if (object != nullptr) current = TRY(object->document());
    json::Document wanted = definitions::api_service(halves->before, halves->after);
    const bool is_served = definitions::is_version_served(group, halves->before);
    switch (definitions::plan_registration(is_served, current.root(), wanted.root())) {
      case Registration::kKeep:
        if (object == nullptr) freshness_.forget(key);
        return Again{};
      case Registration::kCreate:
        return done(key, client_.create(place_of(resource_, {}), std::move(wanted), {}));
      case Registration::kReset:
        Edit(current).copy("spec", View(wanted.root())["spec"]);
        return done(key, client_.update(place_of(resource_, key), std::move(current), {}));
      case Registration::kRemove:
        return remove(key, *object);
    }
    return Again{};
  }

 private:
  Result<Again> done(const Key& key, const Result<ObjectPtr>& outcome) {
    freshness_.tried(key, outcome);
    // Somebody was faster; the event is on its way.
    if (outcome.is(Reason::kConflict) || outcome.is(Reason::kAlreadyExists)) return kNotYet;
    TRY(unless_gone(outcome));
    return Again{};
  }

  Result<Again> remove(const Key& key, const api::Object& object) {
    client::RemoveChoices choices;
    choices.uid = object.metadata().uid;
    const Result<void> removed = client_.remove(place_of(resource_, key), choices);
    freshness_.tried_to_remove(key, object, removed);
    if (removed.is(Reason::kConflict)) return kNotYet;  // another one of that name
    TRY(unless_gone(removed));
    return Again{};
  }

  const client::BoundedClient client_;
  const api::Resource& resource_;
  client::Informer& definitions_;
  client::Informer& services_;
  Freshness freshness_;
};

}  // namespace definition_registration

namespace definitions {

bool is_version_served(std::span<const api::ObjectPtr> definitions, std::string_view version) {
  return std::ranges::any_of(definitions, [&](const api::ObjectPtr& definition) {
    return std::ranges::any_of(facts_of(*definition).spec.versions, [&](const Version& one) {
      return one.name == version && one.served;
    });
  });
}

Registration plan_registration(bool is_served, api::View current, api::View wanted) {
  if (!current) return is_served ? Registration::kCreate : Registration::kKeep;
  const std::string_view managed =
      current["metadata"]["labels"][definition_registration::kManaged].text();
  if (managed != definition_registration::kAlways) return Registration::kKeep;
  if (!is_served) return Registration::kRemove;
  return current["spec"] == wanted["spec"] ? Registration::kKeep : Registration::kReset;
}

json::Document api_service(std::string_view version, std::string_view group) {
  json::Document document({}, json::Value::object());
  const api::Edit object(document);
  const api::Edit metadata = object.object("metadata");
  metadata.set("name", std::string(version) + "." + std::string(group));
  metadata.object("labels").set(definition_registration::kManaged,
                                definition_registration::kAlways);
  const api::Edit spec = object.object("spec");
  spec.set("group", group);
  spec.set("version", version);
  spec.set("groupPriorityMinimum", definition_registration::kGroupPriority);
  spec.set("versionPriority", definition_registration::kVersionPriority);
  return document;
}

}  // namespace definitions

std::unique_ptr<Controller> make_definition_registration(const ControllerContext& context) {
  return std::make_unique<definition_registration::DefinitionRegistration>(context);
}

}  // namespace proa::controllers
