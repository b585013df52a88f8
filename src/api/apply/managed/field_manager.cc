#include "api/apply/managed/field_manager.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/apply/fields/check.h"
#include "api/apply/managed/in_place.h"
#include "api/apply/managed/last_applied.h"
#include "api/apply/managed/updater.h"
#include "api/codec/absent.h"
#include "json/builder.h"

namespace proa::api {
namespace field_manager {

using json::Value;

constexpr std::string_view kBeforeFirstApply = "before-first-apply";

// As upstream's fmt prints a kind: "apps/v1, Kind=Deployment".
std::string kind_text(View object) {
  const std::string_view version = object["apiVersion"].text();
  return fmt::format("{}{}, Kind={}", version.find('/') == std::string_view::npos ? "/" : "",
                     version, object["kind"].text());
}

Status unknown_error(std::string message) { return {Reason::kUnknown, std::move(message)}; }

std::string object_text(View object) {
  return fmt::format("{}/{}; {}", object["metadata"]["namespace"].text(),
                     object["metadata"]["name"].text(), kind_text(object));
}

std::string_view name_of(std::string_view manager) {
  return manager.empty() ? std::string_view("unknown") : manager;
}

ManagedEntry entry_of(const ManagedKind& kind, std::string_view manager, bool applied) {
  return {.manager = std::string(name_of(manager)),
          .applied = applied,
          .api_version = std::string(kind.api_version()),
          .subresource = std::string(kind.subresource),
          .time = std::nullopt,
          .fields = {}};
}

const Value* managed_fields(const Value& object) {
  return View(object)["metadata"]["managedFields"].value();
}

// The managers that a write starts from.
ManagedEntries managers_before(const ManagedKind& kind, const Value& live, const Value& object,
                               json::Arena& arena) {
  const Value* stated = managed_fields(object);
  if (kind.subresource.empty()) {
    if (is_reset_of_managers(stated)) return {};
    Result<ManagedEntries> decoded = decode_managers(stated, arena);
    if (decoded && !decoded->empty()) return std::move(*decoded);
  }
  Result<ManagedEntries> decoded = decode_managers(managed_fields(live), arena);
  return decoded ? std::move(*decoded) : ManagedEntries();
}

// Gives what changed from `live` to `object` to the writer.
Result<void> take_changes(const ManagedKind& kind, const Value& live, const Value& object,
                          const FieldWriter& writer, ManagedEntries& managers, json::Arena& arena) {
  Updater updater(kind, arena);
  FieldSetMaker make(arena);
  const FieldSet changed = TRY(updater.update(live, object, managers));
  const FieldSet fields = make.subtract(changed, unowned_fields());
  if (fields.empty()) return {};
  ManagedEntry entry = entry_of(kind, writer.manager, false);
  entry.time = writer.now;
  entry.fields = fields;
  if (ManagedEntry* previous = find_manager(managers, entry)) {
    previous->fields = make.unite(entry.fields, previous->fields);
    previous->time = entry.time;
  } else {
    managers.push_back(std::move(entry));
  }
  cap_updaters(managers, make);
  return {};
}

// Why an object is not of its schema. Only custom resources are not decoded into a type: what was
// stored before their schema changed may not be of it.
std::string problem_of(const ManagedKind& kind, const Value& object) {
  if (kind.type.structure == nullptr) return {};
  return check_typed(object, kind.type.place(), Duplicates::kAllowed);
}

// Who owns what of an object to which nothing was ever applied.
Result<ManagedEntries> first_managers(const ManagedKind& kind, const Value& live, Time now,
                                      json::Arena& arena) {
  const std::string problem = problem_of(kind, live);
  if (!problem.empty()) {
    return unknown_error(
        fmt::format("failed to create manager for existing fields: failed to convert new object "
                    "({}) to smd typed: {}",
                    object_text(live), problem));
  }
  ManagedEntries managers;
  const json::Document nothing = empty_object(kind);
  const FieldWriter before{.manager = kBeforeFirstApply, .now = now};
  TRY(take_changes(kind, nothing.root(), live, before, managers, arena));
  return managers;
}

Result<void> check_live(const ManagedKind& kind, const Value& live) {
  const std::string problem = problem_of(kind, live);
  if (problem.empty()) return {};
  return unknown_error(
      fmt::format("failed to create typed live object ({}): {}", object_text(live), problem));
}

Result<void> check_config(const ManagedKind& kind, View config) {
  const bool same_kind =
      config["apiVersion"].text() == kind.api_version() && config["kind"].text() == kind.type->name;
  if (!same_kind) return Status(Reason::kBadRequest, "invalid object type: " + kind_text(config));
  if (config["metadata"]["managedFields"].is(json::Kind::kArray))
    return Status(Reason::kBadRequest, "metadata.managedFields must be nil");
  const std::string problem =
      check_typed(*config.value(), kind.type.place(), Duplicates::kRejected);
  if (problem.empty()) return {};
  return unknown_error(
      fmt::format("failed to create typed patch object ({}): {}", object_text(config), problem));
}

void set_managers(Edit object, const ManagedEntries& managers) {
  Value list = encode_managers(managers, object.arena());
  if (list.is_null()) {
    if (object["metadata"].exists()) object.object("metadata").remove("managedFields");
  } else {
    object.object("metadata").set("managedFields", std::move(list));
  }
}

}  // namespace field_manager

Status not_convertible(View config, std::string_view why) {
  return field_manager::unknown_error(
      fmt::format("failed to convert new object ({}) to proper version: unable to convert "
                  "unstructured object to {}: {}",
                  field_manager::object_text(config), field_manager::kind_text(config), why));
}

json::Document empty_object(const ManagedKind& kind) {
  json::Arena arena;
  json::Builder builder(arena, nullptr);
  if (!kind.custom) add_zero(builder, *kind.type);
  json::Value root = kind.custom ? json::Value::object() : builder.take();
  root.set_borrowed(arena, "kind", json::Value::borrowed(kind.type->name));
  root.set_borrowed(arena, "apiVersion", json::Value::borrowed(kind.type->group_version));
  return {std::move(arena), std::move(root)};
}

void track_update(const ManagedKind& kind, const json::Value& live, Edit object,
                  const FieldWriter& writer) {
  const std::string_view manager = field_manager::name_of(writer.manager);
  const bool typed = field_manager::problem_of(kind, object.value()).empty() &&
                     field_manager::problem_of(kind, live).empty();
  if (!typed) return field_manager::set_managers(object, {});
  if (track_in_place(kind, live, object, manager, writer.now)) return;
  json::Arena arena;
  ManagedEntries managers = field_manager::managers_before(kind, live, object.value(), arena);
  const bool exists = !View(live)["metadata"]["uid"].text().empty();
  if (managers.empty() && exists) {
    field_manager::set_managers(object, {});
    return;
  }
  const Result<void> tracked =
      field_manager::take_changes(kind, live, object.value(), writer, managers, arena);
  field_manager::set_managers(object, tracked ? managers : ManagedEntries());
}

Result<json::Document> apply_fields(const ManagedKind& kind, const json::Value& live,
                                    const json::Value& config, const FieldWriter& writer,
                                    bool force) {
  json::Arena arena;
  Result<ManagedEntries> decoded = decode_managers(field_manager::managed_fields(live), arena);
  if (!decoded) {
    return field_manager::unknown_error("failed to decode managed fields: " +
                                        decoded.status().message());
  }
  ManagedEntries managers = std::move(*decoded);
  if (managers.empty())
    managers = TRY(field_manager::first_managers(kind, live, writer.now, arena));
  TRY(field_manager::check_config(kind, config));
  TRY(field_manager::check_live(kind, live));
  const ManagedEntry manager = field_manager::entry_of(kind, writer.manager, true);
  const bool from_kubectl = manager.manager == kKubectl;
  Updater updater(kind, arena);
  const ManagedEntries original = managers;
  Updater::Applied applied = TRY(updater.apply(live, config, managers, manager, force));
  if (!applied.conflicts.empty() && from_kubectl) {
    keep_disallowed(applied.conflicts, allowed_by_last_applied(kind, live, arena), arena);
    if (applied.conflicts.empty()) {
      managers = original;
      applied = TRY(updater.apply(live, config, managers, manager, true));
    }
  }
  if (!applied.conflicts.empty()) return conflict_status(applied.conflicts);
  FieldSetMaker make(arena);
  if (ManagedEntry* own = find_manager(managers, manager)) {
    own->fields = make.subtract(own->fields, unowned_fields());
    if (applied.object != nullptr) own->time = writer.now;
    if (own->fields.empty())
      std::erase_if(managers, [&](const ManagedEntry& one) { return one.same_manager(manager); });
  }
  json::Arena result;
  const json::Value& source = applied.object != nullptr ? *applied.object : live;
  json::Value root = source.copy(result);
  json::Document document(std::move(result), std::move(root));
  const Edit object(document);
  if (from_kubectl) update_last_applied(object, config);
  field_manager::set_managers(object, managers);
  return document;
}

}  // namespace proa::api
