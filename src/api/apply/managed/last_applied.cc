#include "api/apply/managed/last_applied.h"

#include <algorithm>

#include "api/apply/fields/check.h"
#include "api/apply/fields/compare.h"
#include "api/apply/fields/owned.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::api {
namespace last_applied {

using json::Value;

constexpr std::string_view kAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
// Upstream's limit of all annotations of an object.
constexpr size_t kMaxAnnotations = size_t{256} << 10;

size_t total_size(View annotations) {
  size_t size = 0;
  for (const json::Member& member : annotations.members())
    size += member.key.size() + View(member.value).text().size();
  return size;
}

// As Go prints a map.
Value sorted_copy(const Value& value, json::Arena& arena) {
  if (value.is(json::Kind::kArray)) {
    Value list = Value::array();
    for (const Value& item : value.items()) list.push_back(arena, sorted_copy(item, arena));
    return list;
  }
  if (!value.is(json::Kind::kObject)) return value.copy(arena);
  std::vector<const json::Member*> members;
  for (const json::Member& member : value.members()) members.push_back(&member);
  std::ranges::sort(members, {}, &json::Member::key);
  Value object = Value::object();
  for (const json::Member* member : members)
    object.set(arena, member->key, sorted_copy(member->value, arena));
  return object;
}

}  // namespace last_applied

FieldSet allowed_by_last_applied(const ManagedKind& kind, const json::Value& live,
                                 json::Arena& arena) {
  const std::string_view text =
      View(live)["metadata"]["annotations"][last_applied::kAnnotation].text();
  if (text.empty()) return {};
  const Result<json::Document> parsed = json::parse(text);
  if (!parsed || View(parsed->root())["apiVersion"].text() != kind.api_version()) return {};
  const Place place = kind.type.place();
  // The set outlives what was parsed.
  const json::Value* config = new (arena.allocate(sizeof(json::Value), alignof(json::Value)))
      json::Value(parsed->root().copy(arena));
  const bool valid = check_typed(*config, place, Duplicates::kRejected).empty() &&
                     check_typed(live, place, Duplicates::kRejected).empty();
  if (!valid) return {};
  const Comparison changed = compare_fields(*config, live, place, arena);
  FieldSetMaker make(arena);
  FieldSet same = owned_fields(*config, place, arena);
  same = make.subtract(same, changed.modified);
  same = make.subtract(same, changed.added);
  return make.subtract(same, changed.removed);
}

void keep_disallowed(std::vector<Conflict>& conflicts, FieldSet allowed, json::Arena& arena) {
  FieldSetMaker make(arena);
  for (Conflict& conflict : conflicts) conflict.fields = make.subtract(conflict.fields, allowed);
  std::erase_if(conflicts, [](const Conflict& conflict) { return conflict.fields.empty(); });
}

void update_last_applied(Edit object, const json::Value& config) {
  const View present = object["metadata"]["annotations"][last_applied::kAnnotation];
  if (present.text().empty()) return;
  json::Arena arena;
  json::Value stated = last_applied::sorted_copy(config, arena);
  json::Value* metadata = stated.find("metadata");
  json::Value* own = metadata == nullptr ? nullptr : metadata->find("annotations");
  if (own != nullptr && own->is(json::Kind::kObject)) {
    own->remove(last_applied::kAnnotation);
    if (own->size() == 0) metadata->remove("annotations");
  }
  const Edit annotations = object.object("metadata").object("annotations");
  annotations.set(last_applied::kAnnotation, json::print(stated) + "\n");
  if (last_applied::total_size(annotations.view()) > last_applied::kMaxAnnotations)
    annotations.remove(last_applied::kAnnotation);
}

}  // namespace proa::api
