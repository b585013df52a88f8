#include "custom/decode/defaults.h"

#include "custom/decode/members.h"

namespace proa::custom {
namespace defaults {

class Defaulter {
 public:
  Defaulter(json::Arena& arena, Budget& budget) : arena_(arena), budget_(budget) {}

  void apply(json::Value& value, const api::Structure* structure) {
    if (structure == nullptr || !structure->has_defaults || budget_.exceeded()) return;
    if (value.is(json::Kind::kObject)) {
      add_missing(value, *structure);
      apply_to_members(value, *structure);
    } else if (value.is(json::Kind::kArray)) {
      for (json::Value& item : value.items()) {
        replace_null(item, structure->items);
        apply(item, structure->items);
      }
    }
  }

 private:
  void add_missing(json::Value& object, const api::Structure& structure) {
    for (const api::Property& property : structure.properties) {
      if (property.structure->default_value == nullptr) continue;
      if (json::Value* present = object.find(property.name)) {
        replace_null(*present, property.structure);
      } else if (pay()) {
        object.set(arena_, property.name, property.structure->default_value->copy(arena_));
      }
    }
  }

  void apply_to_members(json::Value& object, const api::Structure& structure) {
    size_t guess = 0;
    for (json::Member& member : members_of(object)) {
      if (const api::Property* property = structure.find(member.key, guess)) {
        guess = static_cast<size_t>(property - structure.properties.data()) + 1;
        apply(member.value, property->structure);
      } else if (structure.additional != nullptr) {
        replace_null(member.value, structure.additional);
        apply(member.value, structure.additional);
      }
    }
  }

  void replace_null(json::Value& value, const api::Structure* structure) {
    if (!value.is_null() || structure == nullptr || structure->nullable) return;
    if (structure->default_value == nullptr || !pay()) return;
    value = structure->default_value->copy(arena_);
  }

  bool pay() { return budget_.take_steps(1) && budget_.holds(arena_.reserved()); }

  json::Arena& arena_;
  Budget& budget_;
};

}  // namespace defaults

Result<void> apply_defaults(json::Arena& arena, json::Value& value, const api::Structure& structure,
                            Budget& budget) {
  defaults::Defaulter(arena, budget).apply(value, &structure);
  return budget.check();
}

}  // namespace proa::custom
