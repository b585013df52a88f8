#include "apiserver/resources/write/update.h"

#include <array>

#include "apiserver/access/admission/chain.h"
#include "apiserver/access/authz/attributes.h"
#include "apiserver/objects/conversion.h"
#include "apiserver/objects/encode_changed.h"
#include "apiserver/objects/keys.h"
#include "apiserver/objects/object_size.h"
#include "apiserver/request/failures.h"
#include "apiserver/resources/managed/managed.h"
#include "apiserver/resources/write/create.h"
#include "apiserver/resources/write/metadata.h"
#include "apiserver/resources/write/owners.h"
#include "apiserver/resources/write/preconditions.h"
#include "apiserver/resources/write/remove.h"
#include "apiserver/resources/write/validation.h"
#include "kinds/kinds.h"

namespace proa::apiserver {
namespace update {

using api::Edit;
using api::View;

// Each conflict means that another writer succeeded; the bound keeps a hot object from occupying a
// worker indefinitely.
constexpr int kAttempts = 200;

constexpr std::array<std::string_view, 2> kStatusAndMetadata = {"metadata", "status"};

constexpr std::string_view kModified =
    "the object has been modified; please apply your changes to the latest version and try again";

const kinds::KindRules& rules_of(const Request& request) {
  const api::Resource& stored = *request.resource->stored;
  return kinds::find_rules(stored);
}

// Updates of the object keep the status.
void keep_status(Edit object, View old) { object.copy("status", old["status"]); }

void keep_all_but_status(Edit object, View old) {
  for (const json::Member& member : old.members()) {
    if (member.key != "status" && member.key != "metadata") object.copy(member.key, member.value);
  }
  std::vector<std::string> added;
  for (const json::Member& member : object.view().members()) {
    if (member.key == "status" || member.key == "metadata") continue;
    if (!old[member.key].exists()) added.emplace_back(member.key);
  }
  for (const std::string& name : added) object.remove(name);
}

// "metadata.labels": members of metadata.
void keep_parts(Edit object, View old, std::span<const std::string_view> paths) {
  for (const std::string_view path : paths) {
    const std::string_view name = path.substr(path.find('.') + 1);
    object.object("metadata").copy(name, old["metadata"][name]);
  }
}

void keep_all_but_status_and_metadata(Edit object, View old) {
  keep_all_but_status(object, old);
  json::Value managers;
  if (json::Value* stated = object.object("metadata").value().find("managedFields"))
    managers = std::move(*stated);
  object.copy("metadata", old["metadata"]);
  const Edit metadata = object.object("metadata");
  if (managers.is_null()) {
    metadata.remove("managedFields");
  } else {
    metadata.set("managedFields", std::move(managers));
  }
}

store::Durability durability_of(const Request& request, View object, View old) {
  if (request.resource->stored->ttl) return store::Durability::kLazy;
  const kinds::KindRules& kind = rules_of(request);
  const bool fleeting = kind.is_heartbeat != nullptr && kind.is_heartbeat(object, old);
  return fleeting ? store::Durability::kFleeting : store::Durability::kSynced;
}

// The stored object, read once.
struct Found {
  store::EntryPtr entry;
  api::ObjectPtr object;
  json::Document document;  // the working version
};

// An object that is too large loses its managed fields, which may be large, unless they were
// applied.
Result<void> limit_size(StoredText& text, json::Document& document, const api::Type& type,
                        const UpdateRules& rules, size_t max_bytes) {
  Result<void> fits = check_object_size(text, document.root(), type, max_bytes);
  if (fits || rules.managers != Managers::kTracked) return fits;
  if (!drop_managers(Edit(document))) return fits;
  text = TRY(encode_changed(document, type, rules.changes));
  return check_object_size(text, document.root(), type, max_bytes);
}

// One attempt: null on conflict.
Result<api::ObjectPtr> attempt(const ApiContext& context, const Request& request,
                               const WriteOptions& options, const UpdateRules& rules,
                               const Found& found, json::Document body) {
  const api::Resource& stored = *request.resource->stored;
  const View old = found.document.root();
  json::Document document = TRY(to_working(std::move(body), *request.resource));
  const Edit object(document);
  const Admission admission{.request = request,
                            .operation = Operation::kUpdate,
                            .old = old,
                            .dry_run = options.dry_run,
                            .write = &options};
  TRY(context.admission.admit(object, admission));
  // Again: webhooks and policies may not move it either.
  TRY(settle_namespace(request, object));
  drop_duplicate_owners(object, OwnersAt::kAfterAdmission, request);
  TRY(check_resource_version(request, object.view(), old));
  // So that validation can compare.
  object.object("metadata").copy("resourceVersion", old["metadata"]["resourceVersion"]);
  keep_metadata(object, old);
  if (request.subresource != nullptr) keep_parts(object, old, request.subresource->keeps);
  if (rules.merge != nullptr) rules.merge(object, old);
  const kinds::Writer writer = writer_of(request, context);
  if (rules.prepare != nullptr) rules.prepare(object, old, writer);
  if (rules.counts_generation) count_generation(object, old, stored);
  keep_manager_times(object, old);
  TRY(validate_changed(context, request, rules, document, found.document));
  if (request.subresource == nullptr)
    add_warnings_of(rules_of(request), object.view(), old, request);
  TRY(context.admission.validate(object.view(), admission));
  if (is_ready_to_delete(object.view(), stored)) {
    std::optional<json::Document> converted = TRY(stored_form(document, *request.resource));
    const api::ObjectPtr gone =
        TRY(finish_deletion(context, request, found.entry, old, options.dry_run));
    if (gone == nullptr) return gone;
    // The response is the written object, although it is deleted.
    const StoredText last =
        TRY(encode_for_store(std::move(converted ? *converted : document), *stored.type));
    return api::Object::make(last.at(gone->metadata().resource_version));
  }
  store::Txn txn;
  std::vector<std::shared_ptr<void>> held;
  const std::string key(found.entry->key());
  txn.compares.push_back({key, found.entry->mod_revision()});
  TRY(run_write_hooks(
      context, object,
      {.request = request, .old = old, .txn = txn, .held = held, .dry_run = options.dry_run}));
  const store::Durability durability = durability_of(request, object.view(), old);
  std::optional<json::Document> converted = TRY(stored_form(document, *request.resource));
  json::Document& kept = converted ? *converted : document;
  const std::span<const std::string_view> changes =
      converted ? std::span<const std::string_view>() : rules.changes;
  StoredText text = TRY(encode_changed(kept, *stored.type, changes));
  if (txn.operations.empty() && text.same_as(found.object->json())) return found.object;
  if (options.dry_run) {
    return api::Object::make(text.at(found.object->metadata().resource_version));
  }
  TRY(limit_size(text, kept, *stored.type, rules, context.max_object_bytes));
  txn.operations.insert(txn.operations.begin(), store::Put{.key = key,
                                                           .value = Bytes(std::move(text.json)),
                                                           .ttl = stored.ttl,
                                                           .stamp_at = text.stamp_at});
  const TraceStep step(request.trace.get(), kCommitStep);
  const store::Committed committed = TRY(context.store.commit(std::move(txn), durability));
  return committed.succeeded ? object_of(committed.entries[0]) : nullptr;
}

}  // namespace update

UpdateRules update_rules(const Request& request) {
  const kinds::KindRules& kind = update::rules_of(request);
  if (request.subresource != nullptr && request.subresource->name == "status") {
    return {.merge = request.subresource->keeps_metadata ? update::keep_all_but_status_and_metadata
                                                         : update::keep_all_but_status,
            .prepare = kind.prepare_status_update,
            .validate = kind.validate_status_update,
            .counts_generation = false,
            .changes = update::kStatusAndMetadata};
  }
  UpdateRules rules{.merge = nullptr, .prepare = kind.prepare_update, .validate = nullptr};
  if (request.resource->has_status) rules.merge = update::keep_status;
  return rules;
}

Result<Written> change_object(const ApiContext& context, const Request& request,
                              const WriteOptions& options, const UpdateRules& rules,
                              const Change& change) {
  const std::string key = key_of(*request.resource->stored, request.name_space, request.name);
  for (int i = 0; i < update::kAttempts; ++i) {
    TRY(check_time(request.until, context.clock));
    const store::EntryPtr entry = TRY(context.store.get(key));
    if (entry == nullptr) return request.not_found();
    const api::ObjectPtr old = object_of(entry);
    json::Document document =
        TRY(read_as(*old, working_version(*request.resource), Answers::kFresh));
    const update::Found found{.entry = entry, .object = old, .document = std::move(document)};
    const bool converted = &working_version(*request.resource) != request.resource.get();
    const json::Document served =
        converted ? TRY(from_working(found.document, *request.resource)) : json::Document();
    const json::Document& live = converted ? served : found.document;
    Body body = TRY(change(live));
    if (request.verb == api::Verb::kPatch) {
      TRY(settle_namespace(request, api::Edit(body.document)));
      TRY(check_object_name(request, body.document.root()));
    }
    context.defaulting.apply(api::Edit(body.document), *request.resource->type, &body.budget);
    TRY(body.budget.check());
    if (rules.managers == Managers::kTracked)
      track_managers(context, request, field_writer(context, options), &live.root(),
                     api::Edit(body.document));
    api::ObjectPtr object =
        TRY(update::attempt(context, request, options, rules, found, std::move(body.document)));
    if (object != nullptr) return Written{.object = std::move(object), .created = false};
  }
  return request.conflict(update::kModified);
}

Result<Written> update_object(const ApiContext& context, const Request& request, Body body,
                              const WriteOptions& options, const UpdateRules& rules) {
  json::Document& document = body.document;
  TRY(settle_namespace(request, api::Edit(document)));
  TRY(check_object_name(request, document.root()));
  drop_duplicate_owners(api::Edit(document), OwnersAt::kRequest, request);
  const Change take_body = [&](const json::Document& old) -> Result<Body> {
    TRY(check_object_uid(request, document.root(), old.root(), options.dry_run));
    return Body{document.copy(), body.budget};
  };
  Result<Written> written = change_object(context, request, options, rules, take_body);
  const bool creates = request.subresource == nullptr && request.resource->put_creates;
  if (!creates || !written.is(Reason::kNotFound)) return written;
  TRY(check_object_uid(request, document.root(), {}, options.dry_run));
  // Permission to update does not imply permission to create.
  Request creation = request;
  creation.verb = api::Verb::kCreate;
  const Attributes attributes = attributes_of(creation);
  const Verdict verdict = context.authorizer.authorize(attributes);
  if (!verdict.allowed()) return forbidden(attributes, verdict.reason);
  api::Edit(document).object("metadata").remove("resourceVersion");
  return create_object(context, creation, std::move(body), options);
}

}  // namespace proa::apiserver
