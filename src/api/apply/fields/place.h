#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/apply/fields/element.h"
#include "api/schema/model.h"
#include "json/arena.h"

// What server-side apply needs to know of a type: how upstream derives the schema of
// structured-merge-diff from OpenAPI (schemaconv.ToSchemaFromOpenAPI).

namespace proa::api {

struct Atom;

// A position in the schema.
class Place {
 public:
  // Nothing may be here: a field that is not declared.
  Place() = default;
  explicit Place(const Type& type) : type_(&type), kind_(Kind::kType) {}
  explicit Place(const Field& field) : field_(&field), kind_(Kind::kField) {}
  // Anything, owned as a whole.
  static Place whole() { return Place(Kind::kWhole); }
  // Anything; maps are granular, lists are owned as a whole.
  static Place deduced() { return Place(Kind::kDeduced); }

  bool declared() const { return kind_ != Kind::kNone; }
  bool is_deduced() const { return kind_ == Kind::kDeduced; }
  Atom resolve() const;

 private:
  enum class Kind : uint8_t { kNone, kType, kField, kWhole, kDeduced };
  explicit Place(Kind kind) : kind_(kind) {}

  union {
    const Type* type_ = nullptr;
    const Field* field_;
  };
  Kind kind_ = Kind::kNone;
};

enum class Scalar : uint8_t { kNone, kNumber, kString, kBool, kAny };

// What may be at a position: a scalar, a list, a map or struct, or several of them.
struct Atom {
  Scalar scalar = Scalar::kNone;
  bool list = false;
  bool map = false;

  // Of lists. Granular ones are sets, or maps if they have keys.
  bool list_atomic = true;
  std::span<const std::string_view> keys;
  Place items;

  // Of maps and structs.
  bool map_atomic = false;
  const Type* fields = nullptr;  // null: no named fields
  Place values;                  // of other keys

  // The same, reduced to the kind of the value. Unchanged if there is none, or if it does not fit.
  Atom fitting(const json::Value* value) const;
  bool same_kinds(const Atom& other) const {
    return scalar == other.scalar && list == other.list && map == other.map;
  }

  const Field* find_field(std::string_view name) const {
    return fields == nullptr ? nullptr : fields->find(name);
  }
  Place place_of(std::string_view name) const {
    const Field* field = find_field(name);
    return field == nullptr ? values : Place(*field);
  }
};

// Looks up the fields of a struct or map, which are mostly in the order of its type.
class FieldLookup {
 public:
  explicit FieldLookup(const Atom& atom) : atom_(atom) {}

  // Null if it is not declared.
  const Field* find(std::string_view name) {
    if (atom_.fields == nullptr) return nullptr;
    const Field* field = atom_.fields->find(name, guess_);
    if (field != nullptr) guess_ = atom_.fields->index_of(*field) + 1;
    return field;
  }
  Place place_of(std::string_view name) {
    const Field* field = find(name);
    return field == nullptr ? atom_.values : Place(*field);
  }

 private:
  const Atom& atom_;
  size_t guess_ = 0;
};

// The element of an item of a granular list: its keys, with defaults where they are absent, or its
// value. On failure, `problem` says why. Borrows from the item.
struct ItemElement {
  Element element = Element::index(0);
  std::string problem;

  bool ok() const { return problem.empty(); }
};
ItemElement item_element(const Atom& list, const json::Value& item, json::Arena& arena);

}  // namespace proa::api
