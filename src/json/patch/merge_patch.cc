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

void apply(Arena& arena, Value& target, const Value& patch) {
  if (!patch.is(Kind::kObject)) {
    target = patch.copy(arena);
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
