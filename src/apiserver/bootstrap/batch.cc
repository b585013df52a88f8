#include "apiserver/bootstrap/batch.h"

#include <algorithm>

#include "apiserver/objects/keys.h"
#include "apiserver/resources/write/create.h"
#include "apiserver/resources/write/metadata.h"
#include "base/strings.h"
#include "kinds/kinds.h"

namespace proa::apiserver {
namespace batch {

using api::Edit;
using api::View;

constexpr int kAttempts = 20;
// Of an object and of what hooks reserve for it.
constexpr size_t kOperationsOfOne = 16;

void put(const api::Resource& resource, StoredText text, store::Compare compare, store::Txn& txn) {
  txn.operations.push_back(store::Put{.key = compare.key,
                                      .value = Bytes(std::move(text.json)),
                                      .ttl = resource.ttl,
                                      .stamp_at = text.stamp_at});
  txn.compares.push_back(std::move(compare));
}

Result<void> add_new(const ApiContext& context, const Request& request, std::string_view manager,
                     json::Document document, store::Compare compare, store::Txn& txn) {
  const api::Resource& resource = *request.resource;
  const Edit object(document);
  fill_metadata(object, request, context);
  const kinds::KindRules& rules = kinds::find_rules(resource);
  if (rules.prepare_create != nullptr) rules.prepare_create(object, writer_of(request, context));
  context.defaulting.apply(object, *resource.type);
  track_managers(context, request, {.manager = manager, .now = context.clock.now()}, nullptr,
                 object);
  std::vector<std::shared_ptr<void>> held;
  TRY(run_write_hooks(context, object, {.request = request, .old = {}, .txn = txn, .held = held}));
  put(resource, TRY(encode_for_store(std::move(document), *resource.type)), std::move(compare),
      txn);
  return {};
}

void enforce_field(Edit object, View wanted, std::string_view path) {
  const auto halves = split_once(path, '.');
  if (!halves) return object.copy(path, wanted[path]);
  const View value = wanted[halves->before][halves->after];
  const Edit outer = object.object(halves->before);
  if (path != "metadata.labels") return outer.copy(halves->after, value);
  for (const json::Member& label : value.members()) {
    outer.object("labels").set(label.key, View(label.value).text());
  }
}

Result<void> add_change(const ApiContext& context, const Request& request, const Wanted& wanted,
                        View defaulted, const store::EntryPtr& entry, store::Txn& txn) {
  const api::Resource& resource = wanted.resource;
  const api::ObjectPtr old_object = object_of(entry);
  const json::Document old = TRY(old_object->document());
  json::Document document = old.copy();
  const Edit object(document);
  for (const std::string_view path : wanted.enforced) enforce_field(object, defaulted, path);
  if (wanted.revise) wanted.revise(object, defaulted);
  if (object.view() == View(old.root())) return {};
  count_generation(object, old.root(), resource);
  track_managers(context, request, {.manager = wanted.manager, .now = context.clock.now()},
                 &old.root(), object);
  std::vector<std::shared_ptr<void>> held;
  TRY(run_write_hooks(context, object,
                      {.request = request, .old = old.root(), .txn = txn, .held = held}));
  put(resource, TRY(encode_for_store(std::move(document), *resource.type)),
      {std::string(entry->key()), entry->mod_revision()}, txn);
  return {};
}

Result<void> add(const ApiContext& context, const Wanted& wanted, store::Txn& txn) {
  json::Document document = wanted.document.copy();
  const Edit object(document);
  object.set("kind", wanted.resource.type->name);
  object.set("apiVersion", wanted.resource.group_version());
  context.defaulting.apply(object, *wanted.resource.type);
  const View metadata = object["metadata"];
  const Request request =
      server_request(wanted.resource, metadata["namespace"].text(), metadata["name"].text());
  const std::string key = wanted.key();
  const store::EntryPtr entry = TRY(context.store.get(key));
  if (entry == nullptr) {
    return add_new(context, request, wanted.manager, std::move(document), {key, {}}, txn);
  }
  if (wanted.enforced.empty() && !wanted.revise) return {};
  if (!wanted.identity.empty()) {
    const json::Document old = TRY(object_of(entry)->document());
    if (object[wanted.identity] != View(old.root())[wanted.identity]) {
      return add_new(context, request, wanted.manager, std::move(document),
                     {key, entry->mod_revision()}, txn);
    }
  }
  return add_change(context, request, wanted, object.view(), entry, txn);
}

}  // namespace batch

std::string Wanted::key() const {
  const api::View metadata = api::View(document.root())["metadata"];
  return key_of(resource, metadata["namespace"].text(), metadata["name"].text());
}

Request server_request(const api::Resource& resource, std::string_view name_space,
                       std::string_view name) {
  Request request;
  request.verb = api::Verb::kCreate;
  request.resource = &resource;
  request.name_space = name_space;
  request.name = name;
  request.user = std::make_shared<const User>(
      User{.name = "system:apiserver", .uid = {}, .groups = {"system:masters"}, .extra = {}});
  return request;
}

bool is_full(const store::Txn& txn, const store::Store& store) {
  const size_t used = std::max(txn.operations.size(), txn.compares.size());
  return used + batch::kOperationsOfOne > store.max_operations();
}

Result<void> ensure_objects(const ApiContext& context, const std::vector<Wanted>& objects) {
  for (int i = 0; i < batch::kAttempts; ++i) {
    store::Txn txn;
    for (const Wanted& wanted : objects) {
      if (is_full(txn, context.store)) break;
      TRY(batch::add(context, wanted, txn));
    }
    if (txn.operations.empty()) return {};
    const bool complete = !is_full(txn, context.store);
    const store::Committed committed =
        TRY(context.store.commit(std::move(txn), store::Durability::kSynced));
    if (committed.succeeded && complete) return {};
  }
  return Status(Reason::kServerTimeout,
                "bootstrap objects could not be written: too many conflicts with other writers");
}

}  // namespace proa::apiserver
