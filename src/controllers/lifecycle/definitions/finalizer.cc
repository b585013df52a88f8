#include "controllers/lifecycle/definitions/finalizer.h"

#include <algorithm>
#include <set>

#include "controllers/framework/conditions.h"
#include "controllers/framework/custom/custom_informers.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "controllers/lifecycle/definitions/objects.h"
#include "kinds/apiextensions/custom_resource_definition.h"

namespace proa::controllers {
namespace definition_finalizer {

using api::Edit;
using api::ObjectPtr;
using api::View;
using client::Again;
using client::Key;

// Events tell when the last object is gone. Upstream asks as often as this; so do we, in case that
// its objects cannot be watched.
constexpr Duration kRecheckDelay = std::chrono::seconds(5);
// After this time upstream reports that objects remain.
constexpr Duration kPatience = std::chrono::minutes(1);

bool is_ours(View finalizer) { return finalizer.text() == kinds::kDefinitionFinalizer; }

bool waits_for_us(const api::Object& definition) {
  if (!definition.metadata().being_deleted || !definition.metadata().has_finalizers) return false;
  const Result<json::Document> document = definition.document();
  if (!document) return false;
  return std::ranges::any_of(View(document->root())["metadata"]["finalizers"].items(),
                             [](const json::Value& one) { return is_ours(one); });
}

// Whether the server has such a resource built in: it never serves that of the definition, and
// whoever asks for its objects gets the others. They must not be deleted.
bool is_built_in(const api::Schema& schema, View spec) {
  const std::string_view group = spec["group"].text();
  const std::string_view plural = spec["names"]["plural"].text();
  return std::ranges::any_of(schema.resources(), [&](const api::Resource* each) {
    return each->group == group && each->name == plural;
  });
}

Condition terminating(std::string_view status, std::string_view reason, std::string message) {
  return {.type = "Terminating", .status = status, .reason = reason, .message = std::move(message)};
}

void remove_finalizer(Edit metadata) {
  json::Value left = json::Value::array();
  for (const View finalizer : metadata["finalizers"].items()) {
    if (is_ours(finalizer)) continue;
    left.push_back(metadata.arena(), finalizer.value()->copy(metadata.arena()));
  }
  metadata.set("finalizers", std::move(left));
}

class DefinitionFinalizer final : public Controller {
 public:
  explicit DefinitionFinalizer(const ControllerContext& context)
      : client_(context.client),
        clock_(context.clock),
        schema_(context.schema),
        resource_(*context.schema.find_resource(definitions::kGroup, "v1", definitions::kResource)),
        informers_(context.informers),
        definitions_(definitions::informer_of(context.informers)),
        freshness_(definitions_) {}

  void listen(client::WorkQueue& queue) override {
    definitions_.add_handler([&queue](const client::Change& change) {
      if (change.after != nullptr && change.after->metadata().being_deleted) queue.add(change.key);
    });
    informers_.custom_objects().add_follower(
        {.changed = [this, &queue](const FollowedCustomPtr& followed,
                                   const client::Change& change) {
          if (change.after != nullptr || followed->cache().size() > 0) return;
          const Key key{{}, std::string(followed->definition().name())};
          const ObjectPtr definition = definitions_.cache().get(key);
          if (definition != nullptr && definition->metadata().being_deleted) queue.add(key);
        }});
  }

  Result<Again> reconcile(const Key& key) override {
    if (!freshness_.is_fresh(key)) return kNotYet;
    const ObjectPtr object = definitions_.cache().get(key);
    if (object == nullptr || !waits_for_us(*object)) {
      freshness_.forget(key);
      return Again{};
    }
    json::Document document = TRY(object->document());
    const View definition = document.root();
    if (is_built_in(schema_, definition["spec"])) {
      return let_go(key, document, "OverlappingBuiltInResource",
                    "instances overlap with built-in resources in storage");
    }
    if (!condition_holds(definition["status"], "Established")) {
      return let_go(key, document, "NeverEstablished", "resource was never established");
    }
    const View condition = find_condition(definition["status"], "Terminating");
    if (condition["reason"].text() == "InstanceDeletionPending" || !condition) {
      TRY(tell(key, document,
               terminating("True", "InstanceDeletionInProgress",
                           "CustomResource deletion is in progress")));
    }
    const Result<size_t> left = remove_objects(object);
    if (!left) {
      TRY(tell(key, document,
               terminating("True", "InstanceDeletionFailed", left.status().message())));
      return left.status();
    }
    if (*left == 0 && (are_gone_from_cache(key) || is_late(definition))) {
      return let_go(key, document, "InstanceDeletionCompleted", "removed all instances");
    }
    if (*left > 0 && is_late(definition)) {
      TRY(tell(key, document,
               terminating("True", "InstanceDeletionCheck",
                           "could not confirm zero CustomResources remaining: context deadline "
                           "exceeded")));
    }
    return Again{kRecheckDelay};
  }

 private:
  // Without the definition nothing more is heard of its objects: the garbage collector must know
  // before that they are gone. The last event brings the definition back.
  bool are_gone_from_cache(const Key& key) const {
    const FollowedCustomPtr followed = informers_.custom_objects().find(key.name);
    return followed == nullptr || followed->cache().size() == 0;
  }

  bool is_late(View definition) const {
    const Result<Time> since = parse_time(definition["metadata"]["deletionTimestamp"].text());
    return since && clock_.now() - *since >= kPatience;
  }

  // Deletes all objects that are not being deleted yet; returns how many remain. The server creates
  // no more of them.
  Result<size_t> remove_objects(const ObjectPtr& object) const {
    const custom::DefinitionPtr definition = TRY(custom::Definition::make(object));
    const CustomVersion version = readable_version(definition);
    client::Place place;
    // Clients in the process reach what is stored, too, if nothing is served.
    place.resource = version ? version.resource : &definition->stored();
    const Result<client::ObjectList> before = client_.list(place, {});
    if (!before) return failed("could not list instances: ", before.status());
    std::set<std::string> name_spaces;
    for (const ObjectPtr& one : before->items) {
      if (!one->metadata().being_deleted) name_spaces.emplace(one->metadata().name_space);
    }
    if (name_spaces.empty()) return before->items.size();
    Result<void> removed;
    for (const std::string& name_space : name_spaces) {
      place.name_space = name_space;
      const Result<void> outcome = client_.remove_collection(place, {}, {});
      if (!outcome) removed = outcome;
    }
    if (!removed) return failed("could not issue all deletes: ", removed.status());
    place.name_space.clear();
    const Result<client::ObjectList> after = client_.list(place, {});
    if (!after) return failed("could not confirm zero CustomResources remaining: ", after.status());
    return after->items.size();
  }

  static Status failed(std::string_view what, const Status& why) {
    return Status(Reason::kInternalError, std::string(what) + why.message());
  }

  // The answer's version stands in the document afterwards.
  Result<void> tell(const Key& key, json::Document& document, const Condition& condition) {
    if (!set_condition(Edit(document).object("status"), condition, clock_.now())) return {};
    return write(key, document);
  }

  Result<Again> let_go(const Key& key, json::Document& document, std::string_view reason,
                       std::string message) {
    set_condition(Edit(document).object("status"), terminating("False", reason, std::move(message)),
                  clock_.now());
    remove_finalizer(Edit(document).object("metadata"));
    TRY(write(key, document));
    return Again{};
  }

  Result<void> write(const Key& key, json::Document& document) {
    const Result<ObjectPtr> written =
        client_.update(place_of(resource_, key, "status"), document.copy(), {});
    freshness_.tried(key, written);
    if (!written) return unless_gone(written);
    Edit(document)
        .object("metadata")
        .set("resourceVersion", (*written)->metadata().resource_version);
    return {};
  }

  const client::BoundedClient client_;
  Clock& clock_;
  const api::Schema& schema_;
  const api::Resource& resource_;
  Informers& informers_;
  client::Informer& definitions_;
  Freshness freshness_;
};

}  // namespace definition_finalizer

std::unique_ptr<Controller> make_definition_finalizer(const ControllerContext& context) {
  return std::make_unique<definition_finalizer::DefinitionFinalizer>(context);
}

}  // namespace proa::controllers
