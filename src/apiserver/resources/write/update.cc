#include "apiserver/resources/write/update.h"

#include <array>

#include "api/validation/metadata.h"
#include "apiserver/access/admission/chain.h"
#include "apiserver/access/authz/attributes.h"
#include "apiserver/objects/conversion.h"
#include "apiserver/objects/encode_changed.h"
#include "apiserver/objects/keys.h"
#include "apiserver/objects/object_size.h"
#include "apiserver/request/failures.h"
#include "apiserver/resources/write/create.h"
#include "apiserver/resources/write/metadata.h"
#include "apiserver/resources/write/remove.h"
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
  return kinds::find_rules(stored.group_version(), stored.type->name);
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

void keep_all_but_status_and_metadata(Edit object, View old) {
  keep_all_but_status(object, old);
  const View managed = object["metadata"]["managedFields"];
  const bool has_managed = managed.exists();
  json::Value copy = has_managed ? managed.value()->copy(object.arena()) : json::Value();
  object.copy("metadata", old["metadata"]);
  if (has_managed) object.object("metadata").set("managedFields", std::move(copy));
}

// Checks the client's preconditions: name, uid and resourceVersion.
Result<void> check_preconditions(const Request& request, View wanted, View old) {
  const std::string_view name = wanted["name"].text();
  if (!name.empty() && name != request.name) {
    return Status(Reason::kBadRequest, "the name of the object (" + std::string(name) +
                                           ") does not match the name on the URL (" + request.name +
                                           ")");
  }
  const std::string_view name_space = wanted["namespace"].text();
  if (request.resource->namespaced && !name_space.empty() && name_space != request.name_space) {
    return Status(Reason::kBadRequest, "the namespace of the object (" + std::string(name_space) +
                                           ") does not match the namespace on the request (" +
                                           request.name_space + ")");
  }
  const std::string_view uid = wanted["uid"].text();
  if (!uid.empty() && uid != old["uid"].text()) {
    return request.conflict("Precondition failed: UID in precondition: " + std::string(uid) +
                            ", UID in object meta: " + std::string(old["uid"].text()));
  }
  const std::string_view version = wanted["resourceVersion"].text();
  if (version.empty()) {
    if (request.resource->unconditional_update || request.verb == api::Verb::kPatch) return {};
    api::FieldErrors errors;
    errors.invalid(api::Path("metadata.resourceVersion"), int64_t{0},
                   "must be specified for an update");
    return errors.to_status(request.resource->group, request.resource->type->name, request.name);
  }
  if (version != old["resourceVersion"].text()) return request.conflict(kModified);
  return {};
}

Result<void> validate(const Request& request, const UpdateRules& rules, View object, View old) {
  api::FieldErrors errors;
  const api::Path path("metadata");
  api::validate_metadata(
      object["metadata"],
      {.name = rules_of(request).name, .namespaced = request.resource->namespaced}, path, errors);
  api::validate_metadata_update(object["metadata"], old["metadata"], path, errors);
  if (rules.validate != nullptr) rules.validate(object, old, errors);
  const kinds::KindRules& kind = rules_of(request);
  if (request.subresource == nullptr && kind.validate != nullptr) kind.validate(object, errors);
  if (request.subresource == nullptr && kind.validate_update != nullptr) {
    kind.validate_update(object, old, errors);
  }
  if (errors.empty()) return {};
  return errors.to_status(request.resource->group, request.resource->type->name, request.name);
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
  json::Document document;  // the stored version
};

// One attempt: null on conflict.
Result<api::ObjectPtr> attempt(const ApiContext& context, const Request& request,
                               const WriteOptions& options, const UpdateRules& rules,
                               const Found& found, Body& body) {
  const api::Resource& stored = *request.resource->stored;
  const View old = found.document.root();
  json::Document document = TRY(to_stored(std::move(body.document), *request.resource));
  const Edit object(document);
  TRY(check_preconditions(request, object["metadata"], old["metadata"]));
  const Admission admission{.request = request,
                            .operation = Operation::kUpdate,
                            .old = old,
                            .dry_run = options.dry_run,
                            .warnings = body.warnings};
  TRY(context.admission.admit(object, admission));
  object.object("metadata").set("name", request.name);
  // Defaults to the current version, so that validation can compare.
  object.object("metadata").copy("resourceVersion", old["metadata"]["resourceVersion"]);
  keep_metadata(object, old);
  if (rules.merge != nullptr) rules.merge(object, old);
  const kinds::Writer writer = writer_of(request, context);
  if (rules.prepare != nullptr) rules.prepare(object, old, writer);
  if (rules.counts_generation) count_generation(object, old, stored);
  TRY(validate(request, rules, object.view(), old));
  if (options.wants_warnings && request.subresource == nullptr)
    add_warnings_of(rules_of(request), object.view(), old, body.warnings);
  TRY(context.admission.validate(object.view(), admission));
  if (is_ready_to_delete(object.view(), stored)) {
    const api::ObjectPtr gone =
        TRY(finish_deletion(context, request, found.entry, old, options.dry_run));
    if (gone == nullptr) return gone;
    // The response is the written object, although it is deleted.
    const StoredText last = TRY(encode_for_store(std::move(document), *stored.type));
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
  StoredText text = TRY(encode_changed(document, *stored.type, rules.changes));
  if (txn.operations.empty() && text.same_as(found.object->json())) return found.object;
  if (options.dry_run) {
    return api::Object::make(text.at(found.object->metadata().resource_version));
  }
  TRY(check_object_size(text, document.root(), *stored.type, context.max_object_bytes));
  txn.operations.insert(txn.operations.begin(), store::Put{.key = key,
                                                           .value = Bytes(std::move(text.json)),
                                                           .ttl = stored.ttl,
                                                           .stamp_at = text.stamp_at});
  const store::Committed committed = TRY(context.store.commit(std::move(txn), durability));
  return committed.succeeded ? object_of(committed.entries[0]) : nullptr;
}

Result<Body> changed(const Found& found, const api::Resource& resource, const Change& change) {
  if (!resource.is_converted()) return change(found.document);
  const json::Document served = TRY(from_stored(found.document, resource));
  return change(served);
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
    json::Document document = TRY(old->document());
    const update::Found found{.entry = entry, .object = old, .document = std::move(document)};
    Body body = TRY(update::changed(found, *request.resource, change));
    context.defaulting.apply(api::Edit(body.document), *request.resource->type, &body.budget);
    TRY(body.budget.check());
    api::ObjectPtr object = TRY(update::attempt(context, request, options, rules, found, body));
    if (object != nullptr) {
      return Written{
          .object = std::move(object), .created = false, .warnings = std::move(body.warnings)};
    }
  }
  return request.conflict(update::kModified);
}

Result<Written> update_object(const ApiContext& context, const Request& request, Body body,
                              const WriteOptions& options, const UpdateRules& rules) {
  const Change take_body = [&body](const json::Document&) -> Result<Body> {
    return Body{body.document.copy(), body.warnings, body.budget};
  };
  Result<Written> written = change_object(context, request, options, rules, take_body);
  const bool creates = request.subresource == nullptr && request.resource->put_creates;
  if (!creates || !written.is(Reason::kNotFound)) return written;
  // A resourceVersion implies that the object existed: it was deleted and is not recreated.
  if (!api::View(body.document.root())["metadata"]["resourceVersion"].text().empty())
    return written;
  const std::string_view name = api::View(body.document.root())["metadata"]["name"].text();
  if (!name.empty() && name != request.name) return written;
  // Permission to update does not imply permission to create.
  Request creation = request;
  creation.verb = api::Verb::kCreate;
  const Attributes attributes = attributes_of(creation);
  const Verdict verdict = context.authorizer.authorize(attributes);
  if (!verdict.allowed()) return forbidden(attributes, verdict.reason);
  api::Edit(body.document).object("metadata").set("name", request.name);
  return create_object(context, creation, std::move(body), options);
}

}  // namespace proa::apiserver
