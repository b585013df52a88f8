#include "apiserver/bootstrap/policy_reconcile.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "api/selector/label_selector.h"
#include "apiserver/access/authz/policy/default_policy.h"
#include "apiserver/access/authz/policy/merge.h"
#include "apiserver/bootstrap/batch.h"
#include "apiserver/objects/keys.h"
#include "apiserver/resources/managed/managed.h"
#include "apiserver/resources/write/create.h"
#include "apiserver/resources/write/metadata.h"
#include "base/log.h"
#include "kinds/rbac/aggregation.h"

namespace proa::apiserver {
namespace reconcile {

using api::Edit;
using api::View;

const Log kLog{"apiserver"};
constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kClusterRoles = "clusterroles";
constexpr std::string_view kAggregation = "aggregationRule";
constexpr int kAttempts = 20;

// The desired state of an object.
struct Planned {
  const api::Resource& resource;
  store::EntryPtr stored;  // null: not stored
  json::Document document;
  bool is_new = false;
  bool changed = false;
};

// What happens to stored roles and bindings that lack parts of the default ones.
enum class Existing : uint8_t { kComplete, kLeave };

std::string key_of_default(const ApiContext& context, const PolicyObject& object) {
  const View metadata = View(object.document.root())["metadata"];
  return key_of(*context.schema.find_resource(kGroup, "v1", object.resource),
                metadata["namespace"].text(), metadata["name"].text());
}

// One attempt: the stored objects, their changes and the commit.
class Plan {
 public:
  explicit Plan(const ApiContext& context) : context_(context) {}

  Result<void> add_defaults(const std::vector<PolicyObject>& defaults, Existing existing) {
    for (const PolicyObject& wanted : defaults) TRY(add_default(wanted, existing));
    return {};
  }

  // Updates all aggregated roles, including users'.
  Result<void> aggregate() {
    TRY(load_aggregated_roles());
    std::vector<Edit> roles;
    std::vector<Planned*> planned;
    for (auto& [key, one] : objects_) {  // sorted by name within a resource
      if (one.resource.name != kClusterRoles) continue;
      roles.emplace_back(one.document);
      planned.push_back(&one);
    }
    for (const size_t index : kinds::aggregate_all(roles)) planned[index]->changed = true;
    return {};
  }

  Result<store::Txn> take() {
    store::Txn txn;
    for (auto& [key, planned] : objects_) {
      if (is_full(txn, context_.store)) break;
      if (planned.is_new || planned.changed) TRY(put(key, planned, txn));
    }
    return txn;
  }

 private:
  const api::Resource& resource(std::string_view name) const {
    return *context_.schema.find_resource(kGroup, "v1", name);
  }

  // Other roles are not parsed: there may be many.
  Result<void> load_aggregated_roles() {
    const api::Resource& roles = resource(kClusterRoles);
    const store::RangeResult found =
        TRY(context_.store.range({.keys = store::KeyRange::prefix(prefix_of(roles, ""))}));
    for (const store::EntryPtr& entry : found.entries) {
      if (!objects_.contains(entry->key()) && may_gather(*entry)) TRY(load(roles, entry));
    }
    const std::vector<api::LabelSelector> selectors = all_selectors();
    for (const store::EntryPtr& entry : found.entries) {
      if (objects_.contains(entry->key())) continue;
      const auto& labels = object_in(*entry).metadata().labels;
      const bool gathered = std::any_of(selectors.begin(), selectors.end(), [&](const auto& one) {
        return one.matches(std::span<const api::LabelPair>(labels));
      });
      if (gathered) TRY(load(roles, entry));
    }
    return {};
  }

  static bool may_gather(const store::Entry& entry) {
    const std::string_view text = entry.value();
    return memmem(text.data(), text.size(), kAggregation.data(), kAggregation.size()) != nullptr;
  }

  std::vector<api::LabelSelector> all_selectors() const {
    std::vector<api::LabelSelector> selectors;
    for (const auto& [key, planned] : objects_) {
      const View rule = View(planned.document.root())[kAggregation];
      for (const View selector : rule["clusterRoleSelectors"].items()) {
        const auto parsed = api::LabelSelector::from(selector);
        if (parsed.ok()) selectors.push_back(*parsed);
      }
    }
    return selectors;
  }

  Result<Planned*> load(const api::Resource& resource, const store::EntryPtr& entry) {
    json::Document document = TRY(object_of(entry)->document());
    Planned planned{resource, entry, std::move(document)};
    return &objects_.emplace(entry->key(), std::move(planned)).first->second;
  }

  // Null: does not exist.
  Result<Planned*> find(const api::Resource& resource, const std::string& key) {
    const auto found = objects_.find(key);
    if (found != objects_.end()) return &found->second;
    const store::EntryPtr entry = TRY(context_.store.get(key));
    if (entry == nullptr) return nullptr;
    return load(resource, entry);
  }

  Result<void> add_default(const PolicyObject& object, Existing existing) {
    const View wanted = object.document.root();
    const api::Resource& kind = resource(object.resource);
    const std::string key = key_of_default(context_, object);
    Planned* planned = TRY(find(kind, key));
    if (planned == nullptr) {
      objects_.emplace(key, Planned{kind, nullptr, object.document.copy(), true});
      return {};
    }
    if (existing == Existing::kLeave) return {};
    const Edit stored(planned->document);
    const bool is_role = !wanted["roleRef"].exists();
    const Merged merged = is_role ? merge_role(stored, wanted) : merge_binding(stored, wanted);
    planned->changed = merged != Merged::kSame;
    if (merged == Merged::kReplace) {
      planned->document = object.document.copy();
      planned->is_new = true;
    }
    return {};
  }

  Result<void> put(const std::string& key, Planned& planned, store::Txn& txn) {
    const Edit object(planned.document);
    const View metadata = object["metadata"];
    const Request request =
        server_request(planned.resource, metadata["namespace"].text(), metadata["name"].text());
    json::Document old;
    if (planned.is_new) {
      fill_metadata(object, request, context_);
    } else {
      old = TRY(object_of(planned.stored)->document());
    }
    context_.defaulting.apply(object, *planned.resource.type);
    track_managers(context_, request, {.manager = kServerManager, .now = context_.clock.now()},
                   planned.is_new ? nullptr : &old.root(), object);
    std::vector<std::shared_ptr<void>> held;
    TRY(run_write_hooks(context_, object,
                        {.request = request, .old = old.root(), .txn = txn, .held = held}));
    StoredText text = TRY(encode_for_store(std::move(planned.document), *planned.resource.type));
    txn.operations.push_back(store::Put{.key = key,
                                        .value = Bytes(std::move(text.json)),
                                        .ttl = planned.resource.ttl,
                                        .stamp_at = text.stamp_at});
    txn.compares.push_back(
        {key, planned.stored == nullptr ? store::Revision{} : planned.stored->mod_revision()});
    return {};
  }

  const ApiContext& context_;
  std::map<std::string, Planned, std::less<>> objects_;  // by key
};

Result<void> run(const ApiContext& context, Existing existing) {
  const std::vector<PolicyObject> defaults = default_policy();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Plan plan(context);
    TRY(plan.add_defaults(defaults, existing));
    TRY(plan.aggregate());
    store::Txn txn = TRY(plan.take());
    const size_t objects = txn.operations.size();
    if (objects == 0) return {};
    const bool complete = !is_full(txn, context.store);
    const store::Committed committed =
        TRY(context.store.commit(std::move(txn), store::Durability::kSynced));
    if (!committed.succeeded) continue;
    kLog.debug("default roles and bindings reconciled", {{"objects", objects}});
    if (complete) return {};
  }
  return Status(Reason::kServerTimeout,
                "default roles could not be written: too many conflicts with other writers");
}

}  // namespace reconcile

Result<void> reconcile_policy(const ApiContext& context) {
  return reconcile::run(context, reconcile::Existing::kComplete);
}

Result<void> restore_policy(const ApiContext& context) {
  return reconcile::run(context, reconcile::Existing::kLeave);
}

std::vector<std::string> policy_keys(const ApiContext& context) {
  std::vector<std::string> keys;
  for (const PolicyObject& object : default_policy()) {
    keys.push_back(reconcile::key_of_default(context, object));
  }
  return keys;
}

}  // namespace proa::apiserver
