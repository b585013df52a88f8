#include "json/merge_patch.h"

namespace proa::json {
namespace merge_patch {

void apply(Arena& arena, Value& target, const Value& patch) {
  if (!patch.is(Kind::kObject)) {
    target = patch.copy(arena);
    return;
  }
  if (!target.is(Kind::kObject)) target = Value::object();
  for (const Member& member : patch.members()) {
    if (member.value.is_null()) {
      target.remove(member.key);
    } else {
      Value* present = target.find(member.key);
      if (present == nullptr) present = &target.set(arena, member.key, Value());
      apply(arena, *present, member.value);
    }
  }
}

}  // namespace merge_patch

void apply_merge_patch(Document& document, const Value& patch) {
  merge_patch::apply(document.arena(), document.root(), patch);
}

}  // namespace proa::json
