#pragma once

#include <array>
#include <string_view>

#include "api/apply/fields/place.h"
#include "api/structure/structure.h"
#include "base/random.h"
#include "json/value.h"

namespace proa::oracle {

// Makes random values of the schema of a custom resource.
class RandomCustom {
 public:
  RandomCustom(SeededRandom& random, json::Arena& arena) : random_(random), arena_(arena) {}

  json::Value value_of(const api::Structure& structure, bool open, int depth) {
    open |= structure.preserves_unknown;
    if (structure.nullable && random_.below(6) == 0) return {};
    switch (structure.kind) {
      case api::StructureKind::kObject:
        return object(structure, open, depth);
      case api::StructureKind::kArray:
        return list(structure, open, depth);
      case api::StructureKind::kInteger:
        return json::Value::integer(static_cast<int64_t>(random_.below(4)));
      case api::StructureKind::kBoolean:
        return json::Value::boolean(random_.below(2) == 0);
      case api::StructureKind::kNone:
        return structure.int_or_string ? scalar() : anything(2);
      default:
        return text(word());
    }
  }

  json::Value object(const api::Structure& structure, bool open, int depth) {
    json::Value made = json::Value::object();
    if (structure.embedded_resource && random_.below(2) == 0) {
      made.set(arena_, "apiVersion", text("v1"));
      made.set(arena_, "kind", text("Other"));
      json::Value metadata = json::Value::object();
      metadata.set(arena_, "name", text(word()));
      made.set(arena_, "metadata", std::move(metadata));
    }
    for (const api::Property& property : structure.properties) {
      if (random_.below(2) != 0 || depth <= 0) continue;
      made.set(arena_, property.name, value_of(*property.structure, open, depth - 1));
    }
    const uint64_t more = random_.below(3);
    for (uint64_t i = 0; i < more; ++i) {
      if (structure.additional != nullptr) {
        made.set(arena_, word(), value_of(*structure.additional, open, depth - 1));
      } else if (structure.allows_additional || (open && !structure.states_additional)) {
        made.set(arena_, word(), anything(2));
      } else if (random_.below(100) == 0) {
        made.set(arena_, "undeclared", text(word()));
      }
    }
    return made;
  }

  // Replaces, adds or removes properties.
  void change(json::Value& value, const api::Structure& structure, bool open) {
    open |= structure.preserves_unknown;
    for (const api::Property& property : structure.properties) {
      json::Value* present = value.find(property.name);
      if (present == nullptr) continue;
      if (property.structure->kind == api::StructureKind::kObject &&
          present->is(json::Kind::kObject) && random_.below(2) == 0) {
        change(*present, *property.structure, open);
      } else if (random_.below(8) == 0) {
        value.remove(property.name);
      }
    }
    json::Value extra = object(structure, open, 2);
    for (const json::Member& member : extra.members()) {
      if (random_.below(3) == 0) value.set(arena_, member.key, member.value.copy(arena_));
    }
  }

  // Nulls in a merge patch, for properties that are there.
  void remove_some(json::Value& patch, const json::Value& live, const api::Structure& structure) {
    for (const api::Property& property : structure.properties) {
      const json::Value* present = live.find(property.name);
      if (present == nullptr) continue;
      json::Value* stated = patch.find(property.name);
      if (stated != nullptr && stated->is(json::Kind::kObject) &&
          present->is(json::Kind::kObject)) {
        remove_some(*stated, *present, *property.structure);
      } else if (random_.below(8) == 0) {
        patch.set(arena_, property.name, json::Value());
      }
    }
  }

 private:
  json::Value list(const api::Structure& structure, bool open, int depth) {
    json::Value made = json::Value::array();
    const api::Atom atom = api::Place(structure, open).resolve();
    const uint64_t count = random_.below(4);
    for (uint64_t i = 0; i < count; ++i) {
      json::Value item = value_of(*structure.items, open, depth - 1);
      for (const std::string_view key : atom.keys) set_key(item, key);
      if (!atom.list_atomic && contains(made, item, atom) && random_.below(50) != 0) continue;
      made.push_back(arena_, std::move(item));
    }
    return made;
  }

  void set_key(json::Value& item, std::string_view key) {
    if (!item.is(json::Kind::kObject)) return;
    if (key == "key") {
      item.set(arena_, key, text(word()));
    } else if (random_.below(2) == 0) {
      item.remove(key);
    } else {
      item.set(arena_, key, json::Value::integer(static_cast<int64_t>(1 + random_.below(3))));
    }
  }

  bool contains(const json::Value& list, const json::Value& item, const api::Atom& atom) {
    const api::ItemElement found = api::item_element(atom, item, arena_);
    for (const json::Value& other : list.items()) {
      const api::ItemElement present = api::item_element(atom, other, arena_);
      if (found.ok() && present.ok() && present.element == found.element) return true;
    }
    return false;
  }

  json::Value anything(int depth) {
    const uint64_t choice = random_.below(depth > 0 ? 4 : 2);
    if (choice < 2) return scalar();
    json::Value made = choice == 2 ? json::Value::array() : json::Value::object();
    const uint64_t count = random_.below(3);
    for (uint64_t i = 0; i < count; ++i) {
      if (choice == 2) {
        made.push_back(arena_, anything(depth - 1));
      } else {
        made.set(arena_, word(), anything(depth - 1));
      }
    }
    return made;
  }

  json::Value scalar() {
    return random_.below(2) == 0 ? json::Value::integer(static_cast<int64_t>(random_.below(3)))
                                 : text(word());
  }

  std::string_view word() {
    constexpr std::array<std::string_view, 4> kWords = {"a", "b", "c", "d"};
    return kWords[random_.below(kWords.size())];
  }
  json::Value text(std::string_view text) { return json::Value::string(arena_, text); }

  SeededRandom& random_;
  json::Arena& arena_;
};

}  // namespace proa::oracle
