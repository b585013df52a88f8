#include "apiserver/resources/write/create.h"

#include <algorithm>

#include "api/validation/metadata.h"
#include "apiserver/access/admission/chain.h"
#include "apiserver/objects/conversion.h"
#include "apiserver/objects/encode_changed.h"
#include "apiserver/objects/keys.h"
#include "apiserver/objects/object_size.h"
#include "apiserver/request/failures.h"
#include "apiserver/resources/write/metadata.h"
#include "kinds/kinds.h"

namespace proa::apiserver {
namespace create {

using api::Edit;
using api::View;

// Upstream's number of attempts for generated names.
constexpr int kNameAttempts = 8;
// A hook may find what it reserved taken, and chooses again.
constexpr int kHookAttempts = 64;

Result<void> check_place(const Request& request, View metadata) {
  const std::string_view name_space = metadata["namespace"].text();
  if (request.resource->namespaced && !name_space.empty() && name_space != request.name_space) {
    return Status(Reason::kBadRequest,
                  "the namespace of the provided object does not match the namespace sent on the "
                  "request");
  }
  return {};
}

Result<void> validate(const Request& request, const kinds::KindRules& rules, View object) {
  api::FieldErrors errors;
  const View metadata = object["metadata"];
  api::validate_metadata(metadata, {.name = rules.name, .namespaced = request.resource->namespaced},
                         api::Path("metadata"), errors);
  if (rules.validate != nullptr) rules.validate(object, errors);
  if (rules.validate_create != nullptr) rules.validate_create(object, errors);
  if (errors.empty()) return {};
  return errors.to_status(request.resource->group, request.resource->type->name,
                          metadata["name"].text());
}

// All steps before the commit.
Result<void> prepare(const ApiContext& context, const Request& request, json::Document& document,
                     const WriteOptions& options, Budget& budget,
                     std::vector<std::string>& warnings) {
  const api::Resource& stored = *request.resource->stored;
  const kinds::KindRules& rules = kinds::find_rules(stored.group_version(), stored.type->name);
  const Edit object(document);
  fill_metadata(object, request, context);
  if (stored.has_status && !stored.status_on_create) object.remove("status");
  if (rules.prepare_create != nullptr) rules.prepare_create(object, writer_of(request, context));
  // Again: what admission and prepare_create added may have defaults, and defaults may depend on
  // it.
  context.defaulting.apply(object, *stored.type, &budget);
  TRY(budget.check());
  TRY(validate(request, rules, object.view()));
  if (options.wants_warnings) add_warnings_of(rules, object.view(), {}, warnings);
  return {};
}

struct Outcome {
  api::ObjectPtr object;  // null: conflict
  bool name_taken = false;
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
  const std::string name(View(document.root())["metadata"]["name"].text());
  const std::string key = key_of(stored, request.name_space, name);
  txn.compares.push_back({key, {}});
  TRY(run_write_hooks(
      context, Edit(document),
      {.request = request, .old = {}, .txn = txn, .held = held, .dry_run = options.dry_run}));
  StoredText text = TRY(encode_changed(document, *stored.type, {}));
  if (options.dry_run) {
    if (TRY(context.store.get(key)) != nullptr) return Outcome{nullptr, true};
    return Outcome{api::Object::make(text.at("")), false};
  }
  TRY(check_object_size(text, document.root(), *stored.type, context.max_object_bytes));
  txn.operations.insert(txn.operations.begin(), store::Put{.key = key,
                                                           .value = Bytes(std::move(text.json)),
                                                           .ttl = stored.ttl,
                                                           .stamp_at = text.stamp_at});
  const auto durability = stored.ttl ? store::Durability::kLazy : store::Durability::kSynced;
  const store::Committed committed = TRY(context.store.commit(std::move(txn), durability));
  if (!committed.succeeded) return Outcome{nullptr, committed.entries[0] != nullptr};
  return Outcome{object_of(committed.entries[0]), false};
}

}  // namespace create

void add_warnings_of(const kinds::KindRules& rules, api::View object, api::View old,
                     std::vector<std::string>& warnings) {
  if (rules.warn == nullptr) return;
  kinds::Warnings found;
  rules.warn(object, old, found);
  warnings.insert(warnings.end(), found.all().begin(), found.all().end());
}

Result<void> run_write_hooks(const ApiContext& context, api::Edit object, const Step& step) {
  for (WriteHook* hook : context.hooks) {
    if (hook->concerns(*step.request.resource)) TRY(hook->on_write(object, step));
  }
  return {};
}

Result<Written> create_object(const ApiContext& context, const Request& request, Body body,
                              const WriteOptions& options) {
  TRY(create::check_place(request, api::View(body.document.root())["metadata"]));
  context.defaulting.apply(api::Edit(body.document), *request.resource->type, &body.budget);
  TRY(body.budget.check());
  json::Document document = TRY(to_stored(std::move(body.document), *request.resource));
  Written written{.object = nullptr, .created = true, .warnings = std::move(body.warnings)};
  const api::View metadata = api::View(document.root())["metadata"];
  const bool generates = metadata["name"].text().empty() && metadata["generateName"].exists();
  if (request.resource->namespaced) {
    api::Edit(document).object("metadata").set("namespace", request.name_space);
  }
  const Admission admission{.request = request,
                            .operation = Operation::kCreate,
                            .old = {},
                            .dry_run = options.dry_run,
                            .warnings = written.warnings};
  TRY(context.admission.admit(api::Edit(document), admission));
  TRY(create::prepare(context, request, document, options, body.budget, written.warnings));
  TRY(context.admission.validate(document.root(), admission));
  const bool changes = create::changes_in_commit(context, *request.resource);
  for (int attempt = 0, names = 1; attempt < create::kHookAttempts; ++attempt) {
    TRY(check_time(request.until, context.clock));
    json::Document copy = changes ? document.copy() : json::Document();
    create::Outcome outcome =
        TRY(create::commit(context, request, options, changes ? copy : document));
    if (outcome.object != nullptr) {
      written.object = std::move(outcome.object);
      return written;
    }
    if (!outcome.name_taken) continue;
    const api::Edit tried = api::Edit(document).existing("metadata");
    if (!generates || names++ == create::kNameAttempts) {
      return request.already_exists(tried["name"].text());
    }
    generate_name(tried, context.random);
  }
  return Status(Reason::kServerTimeout, "too many writers at once, please try again");
}

}  // namespace proa::apiserver
