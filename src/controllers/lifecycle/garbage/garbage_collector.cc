#include "controllers/lifecycle/garbage/garbage_collector.h"

#include "controllers/framework/fan_out.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "controllers/lifecycle/garbage/owner_classifier.h"
#include "controllers/lifecycle/garbage/owner_graph.h"
#include "json/parse.h"

namespace proa::controllers {
namespace garbage_collector {

using client::Again;
using client::Key;

// As many as share a commit, so that thousands of dependents are gone in seconds. A thread each,
// while there is so much to do.
constexpr size_t kWorkers = 64;
// A cache hears of things within moments. If it does not, the owner may have come and gone while
// nobody watched.
constexpr Duration kNotInCacheRetryDelay = std::chrono::seconds(5);
// For owners that nobody follows, and those of kinds that nobody defines, there is no better way
// than to ask now and then.
constexpr Duration kUnwatchedRecheckInterval = std::chrono::minutes(10);
// Clients watch owners and dependents on streams of their own. If dependents were deleted at once,
// some would hear of that first, and try to bring back what an owner without a future misses.
constexpr Duration kHeadStartOfOwner = std::chrono::milliseconds(30);
// Changes of an object that is to lose an owner; more mean that it never stands still.
constexpr int kAttempts = 5;

// In upstream's words.
std::string misplaced_message(const OwnerReference& owner, std::string_view name_space) {
  const std::string place(name_space);
  return "ownerRef [" + std::string(owner.api_version) + "/" + std::string(owner.kind) +
         ", namespace: " + place + ", name: " + std::string(owner.name) +
         ", uid: " + std::string(owner.uid) + "] does not exist in namespace \"" + place + "\"";
}

// The object's dependents go as somebody wished before, or else by themselves.
api::Propagation wished_propagation(const api::Object& object) {
  if (has_finalizer(object, kOrphanFinalizer)) return api::Propagation::kOrphan;
  if (has_finalizer(object, kForegroundFinalizer)) return api::Propagation::kForeground;
  return api::Propagation::kBackground;
}

class GarbageCollector final : public Controller {
 public:
  explicit GarbageCollector(const ControllerContext& context)
      : client_(context.client),
        events_(context.events),
        pool_(context.pool),
        informers_(context.informers),
        resources_(context),
        graph_(resources_),
        classifier_(context.client, resources_, graph_, absent_) {}

  size_t workers() const override { return kWorkers; }

  void listen(client::WorkQueue& queue) override {
    queue_ = &queue;
    for (const CollectedResourcePtr& resource : resources_.built_in()) {
      if (resource->cache == nullptr) continue;
      informers_.of(resource->resource->group, resource->resource->name)
          .add_handler(
              [this, &resource](const client::Change& change) { heard(resource, change); });
    }
    informers_.custom_objects().add_follower(
        {.started = [this](const FollowedCustomPtr& followed) { resources_.add(followed); },
         .changed = [this](
                        const FollowedCustomPtr& followed,
                        const client::Change& change) { heard(resources_.of(*followed), change); },
         .stopped =
             [this](const FollowedCustomPtr& followed) {
               resources_.remove(followed);
               for (const api::ObjectPtr& object : followed->cache().list()) {
                 look_at(graph_.forget(*object));
               }
             }});
  }

  void caches_filled() override { look_at(graph_.begin()); }

  Result<Again> reconcile(const Key& key) override {
    const CollectedResources::Found found = resources_.find(key);
    if (found.resource == nullptr) return Again{};
    const api::ObjectPtr object = found.resource->cache->get(found.key);
    if (object == nullptr) return Again{};
    const api::Resource& resource = *found.resource->resource;
    const Deletion deletion = deletion_of(*object);
    const bool needs_dependents =
        deletion == Deletion::kForeground || deletion == Deletion::kOrphan;
    if (needs_dependents && !informers_.custom_objects().settled()) return kNotYet;
    switch (deletion) {
      case Deletion::kNone:
        return collect(resource, object);
      case Deletion::kBackground:
        return Again{};
      case Deletion::kForeground:
        // Whoever goes, or stops to block, brings it back.
        if (graph_.is_blocked(object->metadata().uid)) return Again{};
        return let_go(resource, *object, kForegroundFinalizer);
      case Deletion::kOrphan:
        TRY(orphan_dependents(*object));
        return let_go(resource, *object, kOrphanFinalizer);
    }
    return Again{};
  }

 private:
  void heard(const CollectedResourcePtr& resource, const client::Change& change) {
    const api::Object* before = change.before.get();
    const api::Object* after = change.after.get();
    const bool is_other =
        before != nullptr && after != nullptr && before->metadata().uid != after->metadata().uid;
    if (after == nullptr || is_other) {
      remember_absent(*resource, *before);
      look_at(graph_.remove(*before), kHeadStartOfOwner);
    }
    if (after != nullptr) look_at(graph_.put(resource, change.after));
  }

  void remember_absent(const CollectedResource& resource, const api::Object& gone) {
    const api::Metadata& metadata = gone.metadata();
    if (!graph_.has_dependents(metadata.uid)) return;
    OwnerIdentity owner;
    owner.resource = resource.resource;
    owner.name_space = metadata.name_space;
    owner.name = metadata.name;
    owner.uid = metadata.uid;
    absent_.add(owner, false);
  }

  void look_at(const OwnerGraph::Members& members, Duration wait = {}) {
    for (const OwnerGraph::Member& member : members) {
      queue_->add_after(CollectedResources::key_of(*member.resource, *member.object), wait);
    }
  }

  // Deletes the object if nobody owns it any more.
  Result<Again> collect(const api::Resource& resource, const api::ObjectPtr& object) {
    if (object->metadata().owners.empty()) return Again{};
    const ClassifiedOwners owners = TRY(classifier_.classify(*object));
    tell_misplaced(resource, *object, owners);
    if (owners.solid > 0) {
      // Owners that wait must be forgotten too, or they would wait for ever.
      TRY(take_off(resource, object, owners.lost));
      if (owners.not_in_cache) return Again{kNotInCacheRetryDelay};
      return Again{owners.unwatched ? kUnwatchedRecheckInterval : Duration(0)};
    }
    // Who waits for this one waits for what this one owns, too.
    const bool in_foreground = owners.waiting > 0 && graph_.has_dependents(object->metadata().uid);
    TRY(remove(resource, *object,
               in_foreground ? api::Propagation::kForeground : wished_propagation(*object)));
    return Again{};
  }

  void tell_misplaced(const api::Resource& resource, const api::Object& object,
                      const ClassifiedOwners& owners) {
    const api::Metadata& metadata = object.metadata();
    for (const OwnerReference& owner : owners.misplaced) {
      events_.warning({.api_version = std::string(resource.group_version()),
                       .kind = std::string(resource.type->name),
                       .name_space = std::string(metadata.name_space),
                       .name = std::string(metadata.name),
                       .uid = std::string(metadata.uid),
                       .resource_version = {},
                       .field_path = {}},
                      "OwnerRefInvalidNamespace", misplaced_message(owner, metadata.name_space));
    }
  }

  // In exactly the state that was judged: its owners may be others meanwhile. But if only the rest
  // of it has changed, what changes all the time would never go.
  Result<void> remove(const api::Resource& resource, const api::Object& object,
                      api::Propagation propagation) {
    const client::Place place = place_of(resource, Key::of(object));
    client::RemoveChoices choices;
    choices.uid = object.metadata().uid;
    choices.resource_version = object.metadata().resource_version;
    choices.propagation = propagation;
    Result<void> removed = client_.remove(place, choices);
    if (!removed.is(Reason::kConflict)) return unless_gone(removed);
    const Result<api::ObjectPtr> live = client_.get(place);
    if (!live) return unless_gone(live);
    const api::Metadata& metadata = (*live)->metadata();
    // Somebody else was faster; events tell what is to be done now.
    if (metadata.uid != object.metadata().uid || metadata.being_deleted) return {};
    if (owner_references_text(**live) != owner_references_text(object)) return removed;
    choices.resource_version.reset();
    const Result<void> again = client_.remove(place, choices);
    if (again.is(Reason::kConflict)) return {};  // another one of that name
    return unless_gone(again);
  }

  // Has the object forget these owners.
  Result<void> take_off(const api::Resource& resource, api::ObjectPtr object,
                        const std::set<std::string_view>& owners) {
    if (owners.empty()) return {};
    const client::Place place = place_of(resource, Key::of(*object));
    const std::string uid(object->metadata().uid);
    for (int attempt = 1;; ++attempt) {
      const std::string patch = patch_without_owners(
          *object, [&](const OwnerReference& owner) { return owners.contains(owner.uid); });
      if (patch.empty()) return {};
      const Result<api::ObjectPtr> patched =
          client_.patch(place, api::PatchType::kMerge, json::parse_literal(patch), {});
      if (!patched.is(Reason::kConflict) || attempt == kAttempts) return unless_gone(patched);
      Result<api::ObjectPtr> live = client_.get(place);
      if (!live) return unless_gone(live);
      if ((*live)->metadata().uid != uid) return {};
      object = std::move(*live);
    }
  }

  Result<void> orphan_dependents(const api::Object& owner) {
    const std::string_view uid = owner.metadata().uid;
    const OwnerGraph::Members dependents = graph_.dependents_of(uid);
    return fan_out(pool_, dependents.size(),
                   [&](size_t i) {
                     const OwnerGraph::Member& one = dependents[i];
                     return take_off(*one.resource->resource, one.object, {uid});
                   })
        .outcome;
  }

  Result<Again> let_go(const api::Resource& resource, const api::Object& object,
                       std::string_view finalizer) {
    TRY(unless_gone(client_.patch(place_of(resource, Key::of(object)), api::PatchType::kMerge,
                                  json::parse_literal(patch_without_finalizer(object, finalizer)),
                                  {})));
    return Again{};
  }

  const client::BoundedClient client_;
  client::EventRecorder& events_;
  WorkerPool& pool_;
  Informers& informers_;
  CollectedResources resources_;
  OwnerGraph graph_;
  AbsentOwners absent_;
  const OwnerClassifier classifier_;
  client::WorkQueue* queue_ = nullptr;
};

}  // namespace garbage_collector

std::unique_ptr<Controller> make_garbage_collector(const ControllerContext& context) {
  return std::make_unique<garbage_collector::GarbageCollector>(context);
}

}  // namespace proa::controllers
