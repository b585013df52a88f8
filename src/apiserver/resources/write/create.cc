#include "apiserver/resources/write/create.h"

#include <algorithm>

#include "apiserver/access/admission/chain.h"
#include "apiserver/objects/conversion.h"
#include "apiserver/objects/encode_changed.h"
#include "apiserver/objects/keys.h"
#include "apiserver/objects/object_size.h"
#include "apiserver/request/failures.h"
#include "apiserver/resources/managed/managed.h"
#include "apiserver/resources/write/custom.h"
#include "apiserver/resources/write/metadata.h"
#include "apiserver/resources/write/owners.h"
#include "apiserver/resources/write/preconditions.h"
#include "apiserver/resources/write/validation.h"
#include "base/strings.h"
#include "kinds/kinds.h"

namespace proa::apiserver {
namespace create {

using api::Edit;
using api::View;

// Upstream's number of attempts for generated names.
constexpr int kNameAttempts = 8;
// A hook may find what it reserved taken, and chooses again.
constexpr int kHookAttempts = 64;

// A client may state the resourceVersion in a dry run only, which repeats it; upstream answers 500
// otherwise.
Result<void> check_resource_version(View metadata, bool dry_run) {
  const std::optional<uint64_t> version = parse_uint(metadata["resourceVersion"].text());
  if (dry_run || version.value_or(0) == 0) return {};
  return Status(Reason::kBadRequest, "resourceVersion should not be set on objects to be created");
}

Status already_exists(const Request& request, View metadata, const store::EntryPtr& taken) {
  const std::string_view name = metadata["name"].text();
  Status exists = request.already_exists(name);
  if (metadata["generateName"].text().empty()) {
    const bool deleted = taken != nullptr && object_in(*taken).metadata().being_deleted;
    return deleted ? exists.in("object is being deleted") : exists;
  }
  StatusDetails details = exists.details();
  details.retry_after_seconds = 1;
  return Status(Reason::kAlreadyExists,
                exists.message() +
                    ", the server was not able to generate a unique name for the object")
      .with_details(std::move(details));
}

// All objects of a custom kind are deleted before its definition.
Result<void> check_not_ending(const Request& request, View object) {
  if (!request.resource->ending) return {};
  Request named = request;
  named.name = object["metadata"]["name"].text();
  return named.forbidden("create not allowed while custom resource definition is terminating");
}

// All steps between mutating and validating admission.
Result<void> prepare(const ApiContext& context, const Request& request, json::Document& document,
                     Budget& budget) {
  const api::Resource& stored = *request.resource->stored;
  const kinds::KindRules& rules = kinds::find_rules(stored);
  const Edit object(document);
  fill_metadata(object, request, context);
  if (stored.has_status && !stored.status_on_create) object.remove("status");
  if (rules.prepare_create != nullptr) rules.prepare_create(object, writer_of(request, context));
  // Again: what admission and prepare_create added may have defaults, and defaults may depend on
  // it.
  context.defaulting.apply(object, *stored.type, &budget);
  TRY(budget.check());
  TRY(default_custom(request, document, budget));
  TRY(validate_new(context, request, document));
  add_warnings_of(rules, object.view(), {}, request);
  return {};
}

struct Outcome {
  api::ObjectPtr object;  // null: conflict
  store::EntryPtr taken;  // who has the name
};

// Whether an attempt to commit changes the object, so that the next one needs the original.
bool changes_in_commit(const ApiContext& context, const api::Resource& resource) {
  return std::ranges::any_of(context.hooks, [&](const WriteHook* hook) {
    return hook->changes_objects() && hook->concerns(resource);
  });
}

// One attempt.
Result<Outcome> commit(const ApiContext& context, const Request& request,
                       const WriteOptions& options, json::Document& document) {
  const api::Resource& stored = *request.resource->stored;
  store::Txn txn;
  std::vector<std::shared_ptr<void>> held;
  const View metadata = View(document.root())["metadata"];
  const std::string key = key_of(stored, request.name_space, metadata["name"].text());
  const std::string stated_version(metadata["resourceVersion"].text());
  txn.compares.push_back({key, {}});
  TRY(run_write_hooks(
      context, Edit(document),
      {.request = request, .old = {}, .txn = txn, .held = held, .dry_run = options.dry_run}));
  std::optional<json::Document> converted = TRY(stored_form(document, *request.resource));
  json::Document& kept = converted ? *converted : document;
  StoredText text = TRY(encode_changed(kept, *stored.type, {}));
  if (options.dry_run) {
    if (store::EntryPtr taken = TRY(context.store.get(key))) return Outcome{nullptr, taken};
    return Outcome{api::Object::make(text.at(stated_version)), nullptr};
  }
  Result<void> fits = check_object_size(text, kept.root(), *stored.type, context.max_object_bytes);
  if (!fits && drop_managers(Edit(kept))) {
    text = TRY(encode_changed(kept, *stored.type, {}));
    fits = check_object_size(text, kept.root(), *stored.type, context.max_object_bytes);
  }
  TRY(fits);
  txn.operations.insert(txn.operations.begin(), store::Put{.key = key,
                                                           .value = Bytes(std::move(text.json)),
                                                           .ttl = stored.ttl,
                                                           .stamp_at = text.stamp_at});
  const auto durability = stored.ttl ? store::Durability::kLazy : store::Durability::kSynced;
  const TraceStep step(request.trace.get(), kCommitStep);
  const store::Committed committed = TRY(context.store.commit(std::move(txn), durability));
  if (!committed.succeeded) return Outcome{nullptr, committed.entries[0]};
  return Outcome{object_of(committed.entries[0]), nullptr};
}

}  // namespace create

void add_warnings_of(const kinds::KindRules& rules, api::View object, api::View old,
                     const Request& request) {
  if (rules.warn == nullptr || request.warnings == nullptr) return;
  kinds::Warnings found;
  rules.warn(object, old, found);
  for (const std::string& text : found.all()) request.warn(text);
}

Result<void> run_write_hooks(const ApiContext& context, api::Edit object, const Step& step) {
  for (WriteHook* hook : context.hooks) {
    if (hook->concerns(*step.request.resource)) TRY(hook->on_write(object, step));
  }
  return {};
}

Result<Written> create_object(const ApiContext& context, const Request& request, Body body,
                              const WriteOptions& options, Managers managers) {
  TRY(create::check_not_ending(request, body.document.root()));
  TRY(settle_namespace(request, api::Edit(body.document)));
  drop_duplicate_owners(api::Edit(body.document), OwnersAt::kRequest, request);
  context.defaulting.apply(api::Edit(body.document), *request.resource->type, &body.budget);
  TRY(body.budget.check());
  if (managers == Managers::kTracked)
    track_managers(context, request, field_writer(context, options), nullptr,
                   api::Edit(body.document));
  json::Document document = TRY(to_working(std::move(body.document), *request.resource));
  const api::View metadata = api::View(document.root())["metadata"];
  const bool generates = metadata["name"].text().empty() && metadata["generateName"].exists();
  const Admission admission{.request = request,
                            .operation = Operation::kCreate,
                            .old = {},
                            .dry_run = options.dry_run,
                            .write = &options};
  TRY(context.admission.admit(api::Edit(document), admission));
  // Again: webhooks and policies may not move it either.
  TRY(settle_namespace(request, api::Edit(document)));
  drop_duplicate_owners(api::Edit(document), OwnersAt::kAfterAdmission, request);
  TRY(create::prepare(context, request, document, body.budget));
  TRY(context.admission.validate(document.root(), admission));
  TRY(create::check_resource_version(api::Edit(document)["metadata"], options.dry_run));
  const bool changes = create::changes_in_commit(context, *request.resource);
  for (int attempt = 0, names = 1; attempt < create::kHookAttempts; ++attempt) {
    TRY(check_time(request.until, context.clock));
    json::Document copy = changes ? document.copy() : json::Document();
    create::Outcome outcome =
        TRY(create::commit(context, request, options, changes ? copy : document));
    if (outcome.object != nullptr) {
      return Written{.object = std::move(outcome.object), .created = true};
    }
    if (outcome.taken == nullptr) continue;
    const api::Edit tried = api::Edit(document).existing("metadata");
    if (!generates || names++ == create::kNameAttempts) {
      return create::already_exists(request, tried.view(), outcome.taken);
    }
    generate_name(tried, context.random);
  }
  return Status(Reason::kServerTimeout, "too many writers at once, please try again");
}

}  // namespace proa::apiserver
