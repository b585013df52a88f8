#include "controllers/lifecycle/definitions/status_controller.h"

#include <map>

#include "base/strings.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "controllers/lifecycle/definitions/definition_status.h"

namespace proa::controllers {
namespace definition_status_controller {

using api::ObjectPtr;
using client::Again;
using client::Key;
using definitions::DefinitionFacts;
using definitions::facts_of;
using definitions::Names;

int64_t revision_of(const api::Object& object) {
  return parse_int(object.metadata().resource_version).value_or(0);
}

bool has_names(const ObjectPtr& object, const Names& names) {
  return object != nullptr && facts_of(*object).status.accepted == names;
}

class DefinitionStatusController final : public Controller {
 public:
  explicit DefinitionStatusController(const ControllerContext& context)
      : client_(context.client),
        clock_(context.clock),
        resource_(*context.schema.find_resource(definitions::kGroup, "v1", definitions::kResource)),
        definitions_(definitions::informer_of(context.informers)),
        freshness_(definitions_) {}

  void listen(client::WorkQueue& queue) override {
    definitions_.add_handler([this, &queue](const client::Change& change) {
      queue.add(change.key);
      if (change.before == nullptr) return;
      const Names& names = facts_of(*change.before).status.accepted;
      if (names == Names() || has_names(change.after, names)) return;
      // Others of the group may want the names that are free now.
      for (const ObjectPtr& other : in_group(definitions::group_of(change.key.name))) {
        if (!facts_of(*other).has_its_names()) queue.add(Key::of(*other));
      }
    });
  }

  Result<Again> reconcile(const Key& key) override {
    if (!freshness_.is_fresh(key)) return kNotYet;
    const ObjectPtr object = definitions_.cache().get(key);
    if (object == nullptr) {
      freshness_.forget(key);
      give_up_claim(key.name);
      return Again{};
    }
    json::Document document = TRY(object->document());
    if (!decide(*object, document)) return Again{};
    const Result<ObjectPtr> written =
        client_.update(place_of(resource_, key, "status"), std::move(document), {});
    freshness_.tried(key, written);
    if (written) {
      confirm_claim(key.name, **written);
      return Again{};
    }
    give_up_claim(key.name);
    // Changed meanwhile: the event is on its way.
    if (written.is(Reason::kConflict)) return kNotYet;
    TRY(unless_gone(written));
    return Again{};
  }

 private:
  // Names that this controller accepted, until the cache contains them.
  struct Claim {
    Names names;
    int64_t revision = 0;  // zero: being written
  };

  std::vector<ObjectPtr> in_group(const std::string& group) const {
    return definitions_.cache().find(definitions::kByGroup, group);
  }

  // Edits the status; whether it has to be written. One at a time: two definitions that want the
  // same name must not both get it.
  bool decide(const api::Object& object, json::Document& document) EXCLUDES(mutex_) {
    const DefinitionFacts& facts = facts_of(object);
    const std::vector<ObjectPtr> group = in_group(facts.spec.group);
    MutexLock lock(mutex_);
    definitions::NamesInUse in_use;
    for (const ObjectPtr& other : group) in_use.add(names_of(*other));
    definitions::StatusUpdate update =
        update_status(api::Edit(document), facts, in_use, clock_.now());
    if (!update.changed) return false;
    claims_[std::string(object.metadata().name)] = {.names = std::move(update.accepted)};
    return true;
  }

  // Those in the cache, or newer ones.
  const Names& names_of(const api::Object& object) REQUIRES(mutex_) {
    const auto claim = claims_.find(object.metadata().name);
    if (claim == claims_.end()) return facts_of(object).status.accepted;
    const int64_t revision = claim->second.revision;
    if (revision == 0 || revision > revision_of(object)) return claim->second.names;
    claims_.erase(claim);
    return facts_of(object).status.accepted;
  }

  void confirm_claim(const std::string& name, const api::Object& written) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    claims_[name].revision = revision_of(written);
  }

  void give_up_claim(const std::string& name) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    claims_.erase(name);
  }

  const client::BoundedClient client_;
  Clock& clock_;
  const api::Resource& resource_;
  client::Informer& definitions_;
  Freshness freshness_;
  Mutex mutex_;
  std::map<std::string, Claim, std::less<>> claims_ GUARDED_BY(mutex_);  // by definition
};

}  // namespace definition_status_controller

std::unique_ptr<Controller> make_definition_status_controller(const ControllerContext& context) {
  return std::make_unique<definition_status_controller::DefinitionStatusController>(context);
}

}  // namespace proa::controllers
