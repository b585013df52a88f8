#include "custom/decode/prune.h"

#include <algorithm>

#include "custom/decode/members.h"
#include "custom/decode/step.h"

namespace proa::custom {
namespace pruning {

// So many members are removed one by one; more are removed by building the object again, since a
// removal moves all members behind it.
constexpr size_t kFewRemovals = 4;

// Removes members, by name. `names`: in the order of the object.
void remove_members(json::Arena& arena, json::Value& object,
                    const std::vector<std::string_view>& names) {
  if (names.size() <= kFewRemovals) {
    for (const std::string_view name : names) object.remove(name);
    return;
  }
  json::Value kept = json::Value::object();
  auto next = names.begin();
  for (json::Member& member : members_of(object)) {
    if (next != names.end() && *next == member.key) {
      ++next;
      continue;
    }
    kept.set_borrowed(arena, member.key, std::move(member.value));
  }
  object = std::move(kept);
}

class Pruner {
 public:
  Pruner(json::Arena& arena, UnknownFields* unknown) : arena_(arena), unknown_(unknown) {}

  // `structure`: null where the schema says nothing.
  void prune(json::Value& value, const api::Structure* structure, bool is_resource,
             const Step& at) {
    if (value.is(json::Kind::kObject)) {
      prune_object(value, structure, is_resource, at);
    } else if (value.is(json::Kind::kArray)) {
      const bool keeps = structure != nullptr && structure->preserves_unknown;
      const api::Structure* items = structure == nullptr ? nullptr : structure->items;
      if (keeps && items == nullptr) return;
      for (size_t i = 0; i < value.size(); ++i) {
        const Step step = Step::item(at, i);
        if (keeps) {
          keep(value.items()[i], *items, step);
        } else {
          prune(value.items()[i], items, items != nullptr && items->embedded_resource, step);
        }
      }
    }
  }

 private:
  // Unknown fields stay, but those of known fields are pruned. Upstream's skipPrune.
  void keep(json::Value& value, const api::Structure& structure, const Step& at) {
    if (value.is(json::Kind::kObject)) {
      keep_members(value, structure, structure.embedded_resource, at);
    } else if (value.is(json::Kind::kArray) && structure.items != nullptr) {
      for (size_t i = 0; i < value.size(); ++i) {
        keep(value.items()[i], *structure.items, Step::item(at, i));
      }
    }
  }

  void keep_members(json::Value& object, const api::Structure& structure, bool is_resource,
                    const Step& at) {
    size_t guess = 0;
    for (json::Member& member : members_of(object)) {
      if (is_resource && is_meta_field(member.key)) continue;
      prune_known(member, structure, guess, at);
    }
  }

  // False if the schema does not know the member.
  bool prune_known(json::Member& member, const api::Structure& structure, size_t& guess,
                   const Step& at) {
    if (const api::Property* property = structure.find(member.key, guess)) {
      guess = static_cast<size_t>(property - structure.properties.data()) + 1;
      const Step step = Step::property(at, member.key);
      prune(member.value, property->structure, property->structure->embedded_resource, step);
      return true;
    }
    if (!structure.states_additional) return false;
    const api::Structure* inner = structure.additional;
    prune(member.value, inner, inner != nullptr && inner->embedded_resource,
          Step::additional(at, member.key));
    return true;
  }

  void prune_object(json::Value& object, const api::Structure* structure, bool is_resource,
                    const Step& at) {
    if (structure != nullptr && structure->preserves_unknown) {
      return keep_members(object, *structure, is_resource, at);
    }
    std::vector<std::string_view> dropped;
    size_t guess = 0;
    for (json::Member& member : members_of(object)) {
      if (is_resource && is_meta_field(member.key)) continue;
      if (structure != nullptr && prune_known(member, *structure, guess, at)) continue;
      dropped.push_back(member.key);
      if (unknown_ != nullptr && !unknown_->full()) {
        unknown_->add(Step::property(at, member.key).unknown_path());
      }
    }
    if (!dropped.empty()) remove_members(arena_, object, dropped);
  }

  json::Arena& arena_;
  UnknownFields* unknown_;
};

const api::Structure* structure_of(const api::Structure* structure, std::string_view name,
                                   size_t& guess) {
  if (structure == nullptr) return nullptr;
  if (const api::Property* property = structure->find(name, guess)) {
    guess = static_cast<size_t>(property - structure->properties.data()) + 1;
    return property->structure;
  }
  return structure->additional;
}

void prune_nulls(json::Arena& arena, json::Value& value, const api::Structure* structure) {
  // Without a schema nothing is dropped further down, either.
  if (structure == nullptr) return;
  if (value.is(json::Kind::kArray)) {
    for (json::Value& item : value.items()) prune_nulls(arena, item, structure->items);
    return;
  }
  if (!value.is(json::Kind::kObject)) return;
  std::vector<std::string_view> dropped;
  size_t guess = 0;
  for (json::Member& member : members_of(value)) {
    const api::Structure* inner = structure_of(structure, member.key, guess);
    if (inner == nullptr) continue;
    if (member.value.is_null() && !inner->nullable && inner->default_value == nullptr) {
      dropped.push_back(member.key);
    } else {
      prune_nulls(arena, member.value, inner);
    }
  }
  if (!dropped.empty()) remove_members(arena, value, dropped);
}

}  // namespace pruning

void prune(json::Arena& arena, json::Value& value, const api::Structure& structure,
           bool is_resource, UnknownFields* unknown) {
  const size_t before = unknown == nullptr ? 0 : unknown->paths().size();
  pruning::Pruner(arena, unknown)
      .prune(value, &structure, is_resource || structure.embedded_resource, Step());
  if (unknown == nullptr) return;
  std::vector<std::string>& paths = unknown->paths();
  std::sort(paths.begin() + static_cast<std::ptrdiff_t>(before), paths.end());
}

void prune_nulls(json::Arena& arena, json::Value& value, const api::Structure& structure) {
  pruning::prune_nulls(arena, value, &structure);
}

}  // namespace proa::custom
