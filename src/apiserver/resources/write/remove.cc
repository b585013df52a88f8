#include "apiserver/resources/write/remove.h"

#include <algorithm>
#include <array>

#include "apiserver/access/admission/chain.h"
#include "apiserver/objects/encode_changed.h"
#include "apiserver/request/failures.h"
#include "apiserver/resources/write/create.h"
#include "apiserver/resources/write/deletion/grace.h"
#include "apiserver/resources/write/metadata.h"
#include "kinds/apiextensions/custom_resource_definition.h"
#include "kinds/kinds.h"

namespace proa::apiserver {
namespace remove {

using api::Edit;
using api::View;

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";
constexpr int kAttempts = 200;
// The members that marking a deletion changes.
constexpr std::array<std::string_view, 2> kMarked = {"metadata", "status"};

// As upstream's rest.BeforeDelete, which names the kind.
Result<void> check_preconditions(const Request& request, const DeleteOptions& options,
                                 const api::Metadata& metadata) {
  const auto check = [&](const std::optional<std::string>& wanted, std::string_view found,
                         std::string_view what, std::string_view why) -> Result<void> {
    if (!wanted || *wanted == found) return {};
    const api::Resource& stored = *request.resource->stored;
    StatusDetails details = request.details(request.name);
    details.kind = stored.type->name;
    details.group = stored.group;
    std::string kind(stored.type->name);
    if (!stored.group.empty()) kind.append(".").append(stored.group);
    const std::string name(what);
    return Status(Reason::kConflict,
                  "Operation cannot be fulfilled on " + kind + " \"" + request.name + "\": the " +
                      name + " in the precondition (" + *wanted + ") does not match the " + name +
                      " in record (" + std::string(found) + "). The object might have been " +
                      std::string(why))
        .with_details(std::move(details));
  };
  TRY(check(options.uid, metadata.uid, "UID", "deleted and then recreated"));
  return check(options.resource_version, metadata.resource_version, "ResourceVersion", "modified");
}

bool has(View list, std::string_view text) {
  return std::any_of(list.items().begin(), list.items().end(),
                     [&](View item) { return item.text() == text; });
}

// The propagation policy: the request's, else that of an earlier deletion, else the kind's default.
api::Propagation propagation_of(const DeleteOptions& options, View finalizers,
                                api::Propagation usual) {
  if (options.propagation) return *options.propagation;
  if (options.orphan_dependents) {
    return *options.orphan_dependents ? api::Propagation::kOrphan : api::Propagation::kBackground;
  }
  for (const View finalizer : finalizers.items()) {
    if (finalizer.text() == kOrphan) return api::Propagation::kOrphan;
    if (finalizer.text() == kForeground) return api::Propagation::kForeground;
  }
  return usual;
}

void set_finalizers(Edit metadata, const DeleteOptions& options, const api::Resource& resource) {
  if (resource.default_propagation == api::Propagation::kUnsupported) return;
  const View old = metadata["finalizers"];
  const api::Propagation way = propagation_of(options, old, resource.default_propagation);
  const bool orphan = way == api::Propagation::kOrphan;
  const bool foreground = way == api::Propagation::kForeground;
  if (orphan == has(old, kOrphan) && foreground == has(old, kForeground)) return;
  json::Value finalizers = json::Value::array();
  for (const View item : old.items()) {
    if (item.text() == kOrphan || item.text() == kForeground) continue;
    finalizers.push_back(metadata.arena(), item.value()->copy(metadata.arena()));
  }
  const auto add = [&](std::string_view name) {
    finalizers.push_back(metadata.arena(), json::Value::borrowed(name));
  };
  if (orphan) add(kOrphan);
  if (foreground) add(kForeground);
  metadata.set("finalizers", std::move(finalizers));
}

bool has_grace(const api::Resource& resource) {
  return kinds::find_rules(resource).grace_period != nullptr;
}

bool is_namespace(const api::Resource& resource) {
  return resource.name == "namespaces" && resource.group.empty();
}

bool is_definition(const api::Resource& resource) {
  return resource.name == "customresourcedefinitions" && resource.group == "apiextensions.k8s.io";
}

// Marks the object as being deleted. A further deletion can only shorten the grace period. As
// upstream, namespaces and definitions have none.
void mark(Edit object, int64_t grace, Time now, const api::Resource& resource) {
  const Edit metadata = object.object("metadata");
  if (!metadata.has("deletionTimestamp")) {
    metadata.set("deletionTimestamp", format_time(now + std::chrono::seconds(grace)));
    if (is_definition(resource)) kinds::prepare_definition_deletion(object, now);
    if (is_namespace(resource) || is_definition(resource)) return;
    metadata.set("deletionGracePeriodSeconds", grace);
    const int64_t generation = metadata["generation"].integer();
    if (generation > 0) metadata.set("generation", generation + 1);
    return;
  }
  if (grace >= metadata["deletionGracePeriodSeconds"].integer()) return;
  const ShorterGrace shorter = shorten_grace(metadata.view(), grace, now);
  metadata.set("deletionTimestamp", format_time(shorter.end));
  metadata.set("deletionGracePeriodSeconds", shorter.seconds);
}

void mark_namespace(Edit object) { object.object("status").set("phase", "Terminating"); }

// Whether the object can be deleted without being marked first.
bool is_immediate(View object, const DeleteOptions& options, const api::Resource& resource) {
  const View metadata = object["metadata"];
  if (has_grace(resource)) return false;
  if (metadata["deletionTimestamp"].exists() || !metadata["finalizers"].empty()) return false;
  if (is_namespace(resource) || is_definition(resource)) return false;
  if (resource.default_propagation == api::Propagation::kUnsupported) return true;
  return propagation_of(options, {}, resource.default_propagation) == api::Propagation::kBackground;
}

Result<void> admit(const ApiContext& context, const Admission& admission) {
  TRY(context.admission.admit_deletion(admission));
  return context.admission.validate({}, admission);
}

// Upstream deletes an object whose grace period is over in two steps, marked and then gone, and
// both are admitted: some webhooks wait for the one that is marked with a grace period of zero.
Result<void> admit_marked(const ApiContext& context, const Admission& admission, View marked) {
  if (admission.dry_run) return {};
  Admission second = admission;
  second.old = marked;
  return admit(context, second);
}

// One attempt: nullopt on conflict.
Result<std::optional<Removed>> attempt(const ApiContext& context, const Request& request,
                                       const DeleteOptions& options, const store::EntryPtr& entry) {
  const api::Resource& stored = *request.resource->stored;
  const api::ObjectPtr old_object = object_of(entry);
  TRY(check_preconditions(request, options, old_object->metadata()));
  const json::Document old_document = TRY(old_object->document());
  const View old = old_document.root();
  const Grace grace = decide_grace(old, options.grace_seconds, stored);
  if (grace.is == Grace::Is::kPending) return std::optional<Removed>({old_object, false});
  DeleteOptions shown = options;
  // Upstream deletes each object of a collection with a copy of the options.
  if (!request.of_collection) shown.grace_seconds = grace.shown;
  const Admission admission{.request = request,
                            .operation = Operation::kDelete,
                            .old = old,
                            .dry_run = options.dry_run,
                            .remove = &shown};
  TRY(admit(context, admission));
  const auto finish = [&]() -> Result<std::optional<Removed>> {
    api::ObjectPtr gone = TRY(finish_deletion(context, request, entry, old, options.dry_run));
    if (gone == nullptr) return std::optional<Removed>();
    return std::optional<Removed>({std::move(gone), true});
  };
  if (is_immediate(old, options, stored)) return finish();
  json::Document document = old_document.copy();
  const Edit object(document);
  // As upstream, definitions are deleted the same way whatever the options say.
  if (!is_definition(stored)) set_finalizers(object.object("metadata"), options, stored);
  mark(object, grace.seconds, context.clock.now(), stored);
  if (is_namespace(stored)) mark_namespace(object);
  if (is_ready_to_delete(object.view(), stored)) {
    if (grace.is == Grace::Is::kGiven) TRY(admit_marked(context, admission, object.view()));
    std::optional<Removed> removed = TRY(finish());
    if (!removed || !has_grace(stored)) return removed;
    // Upstream marks it before it is deleted, and answers with that.
    const std::string version(removed->object->metadata().resource_version);
    const StoredText marked = TRY(encode_changed(document, *stored.type, kMarked));
    removed->object = api::Object::make(marked.at(version));
    return removed;
  }
  StoredText text = TRY(encode_changed(document, *stored.type, kMarked));
  if (text.same_as(old_object->json())) return std::optional<Removed>({old_object, false});
  if (options.dry_run) {
    return std::optional<Removed>(
        {api::Object::make(text.at(old_object->metadata().resource_version)), false});
  }
  store::Txn txn;
  txn.compares.push_back({std::string(entry->key()), entry->mod_revision()});
  txn.operations.push_back(store::Put{.key = std::string(entry->key()),
                                      .value = Bytes(std::move(text.json)),
                                      .ttl = stored.ttl,
                                      .stamp_at = text.stamp_at});
  const TraceStep step(request.trace.get(), kCommitStep);
  const store::Committed committed =
      TRY(context.store.commit(std::move(txn), store::Durability::kSynced));
  if (!committed.succeeded) return std::optional<Removed>();
  return std::optional<Removed>({object_of(committed.entries[0]), false});
}

}  // namespace remove

bool is_ready_to_delete(api::View object, const api::Resource& resource) {
  const api::View metadata = object["metadata"];
  if (!metadata["deletionTimestamp"].exists() || !metadata["finalizers"].empty()) return false;
  if (metadata["deletionGracePeriodSeconds"].integer() > 0) return false;
  return !remove::is_namespace(resource) || object["spec"]["finalizers"].empty();
}

Result<api::ObjectPtr> finish_deletion(const ApiContext& context, const Request& request,
                                       const store::EntryPtr& entry, api::View old, bool dry_run) {
  if (dry_run) return object_of(entry);
  store::Txn txn;
  std::vector<std::shared_ptr<void>> held;
  txn.compares.push_back({std::string(entry->key()), entry->mod_revision()});
  txn.operations.push_back(store::Delete{std::string(entry->key())});
  for (WriteHook* hook : context.hooks) {
    if (!hook->concerns(*request.resource)) continue;
    TRY(hook->on_delete(old, {.request = request, .old = old, .txn = txn, .held = held}));
  }
  const TraceStep step(request.trace.get(), kCommitStep);
  const store::Committed committed =
      TRY(context.store.commit(std::move(txn), store::Durability::kSynced));
  if (!committed.succeeded) return api::ObjectPtr();
  return last_state({.entry = committed.entries[0], .previous = entry});
}

Result<Removed> remove_object(const ApiContext& context, const Request& request,
                              const DeleteOptions& options) {
  const std::string key = key_of(*request.resource->stored, request.name_space, request.name);
  for (int i = 0; i < remove::kAttempts; ++i) {
    TRY(check_time(request.until, context.clock));
    const store::EntryPtr entry = TRY(context.store.get(key));
    if (entry == nullptr) return request.not_found();
    std::optional<Removed> removed = TRY(remove::attempt(context, request, options, entry));
    if (removed) return std::move(*removed);
  }
  return request.conflict("it is changed all the time, please try again");
}

}  // namespace proa::apiserver
