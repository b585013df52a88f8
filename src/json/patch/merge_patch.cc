#include "json/patch/merge_patch.h"

namespace proa::json {
namespace merge_patch {

// Removes the keys that are null in the patch. In one pass: one by one would take quadratic time.
void remove_nulls(Arena& arena, Value& target, const Value& patch) {
  constexpr size_t kFew = 8;
  size_t nulls = 0;
  for (const Member& member : patch.members())
    nulls += member.value.is_null() && target.find(member.key) != nullptr ? 1 : 0;
  if (nulls <= kFew) {
    for (const Member& member : patch.members()) {
      if (member.value.is_null()) target.remove(member.key);
    }
    return;
  }
  Value kept = Value::object();
  for (const Member& member : target.members()) {
    const Value* const patched = patch.find(member.key);
    if (patched == nullptr || !patched->is_null())
      kept.set_borrowed(arena, member.key, std::move(*target.find(member.key)));
  }
  target = std::move(kept);
}

// A value that takes the place of another one: as in upstream's library, without the nulls of
// objects, also of those in lists.
Value without_nulls(Arena& arena, const Value& value) {
  if (value.is(Kind::kArray)) {
    Value items = Value::array();
    for (const Value& item : value.items()) items.push_back(arena, without_nulls(arena, item));
    return items;
  }
  if (!value.is(Kind::kObject)) return value.copy(arena);
  Value members = Value::object();
  for (const Member& member : value.members()) {
    if (!member.value.is_null()) members.set(arena, member.key, without_nulls(arena, member.value));
  }
  return members;
}

void apply(Arena& arena, Value& target, const Value& patch) {
  if (!patch.is(Kind::kObject)) {
    // A list in the place of an object is taken as it is.
    target = target.is(Kind::kObject) ? patch.copy(arena) : without_nulls(arena, patch);
    return;
  }
  if (!target.is(Kind::kObject)) target = Value::object();
  remove_nulls(arena, target, patch);
  for (const Member& member : patch.members()) {
    if (member.value.is_null()) continue;
    Value* present = target.find(member.key);
    if (present == nullptr) present = &target.set(arena, member.key, Value());
    apply(arena, *present, member.value);
  }
}

}  // namespace merge_patch

void apply_merge_patch(Document& document, const Value& patch) {
  merge_patch::apply(document.arena(), document.root(), patch);
}

}  // namespace proa::json
