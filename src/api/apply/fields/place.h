#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/apply/fields/element.h"
#include "api/schema/model.h"
#include "api/structure/structure.h"
#include "json/arena.h"

// What server-side apply needs to know of a type, or of the schema of a custom resource: how
// upstream derives the schema of structured-merge-diff from OpenAPI
// (schemaconv.ToSchemaFromOpenAPI).

namespace proa::api {

struct Atom;

// A position in the schema.
class Place {
 public:
  // Nothing may be here: a field that is not declared.
  Place() = default;
  explicit Place(const Type& type) : type_(&type), kind_(Kind::kType) {}
  explicit Place(const Field& field) : field_(&field), kind_(Kind::kField) {}
  // `open`: a schema around it preserves unknown fields, which holds for all schemas inside.
  explicit Place(const Structure& structure, bool open = false)
      : structure_(&structure), kind_(Kind::kStructure), open_(open) {}
  // The whole object of a custom resource: it has apiVersion, kind and metadata, too.
  static Place custom_object(const Structure& structure) {
    Place place(structure);
    place.kind_ = Kind::kCustomObject;
    return place;
  }
  // Anything, owned as a whole.
  static Place whole() { return Place(Kind::kWhole); }
  // Anything; maps are granular, lists are owned as a whole.
  static Place deduced() { return Place(Kind::kDeduced); }

  bool declared() const { return kind_ != Kind::kNone; }
  bool is_deduced() const { return kind_ == Kind::kDeduced; }
  Atom resolve() const;

 private:
  enum class Kind : uint8_t { kNone, kType, kField, kStructure, kCustomObject, kWhole, kDeduced };
  explicit Place(Kind kind) : kind_(kind) {}

  union {
    const Type* type_ = nullptr;
    const Field* field_;
    const Structure* structure_;
  };
  Kind kind_ = Kind::kNone;
  bool open_ = false;
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
  const Type* fields = nullptr;          // null: no fields of a type
  const Structure* structure = nullptr;  // null: no properties of a schema
  bool open = false;                     // for the schemas of its properties
  bool object = false;                   // has apiVersion, kind and metadata besides
  Place values;                          // of other keys

  // The same, reduced to the kind of the value. Unchanged if there is none, or if it does not fit.
  Atom fitting(const json::Value* value) const;
  bool same_kinds(const Atom& other) const {
    return scalar == other.scalar && list == other.list && map == other.map;
  }

  bool has_fields() const {
    return object || (fields != nullptr && !fields->fields.empty()) ||
           (structure != nullptr && !structure->properties.empty());
  }
  // The field or property of that name; not declared if there is none.
  Place find(std::string_view name) const {
    size_t guess = 0;
    return find(name, guess);
  }
  // `guess`: its expected position; then the position after it.
  Place find(std::string_view name, size_t& guess) const;
  Place place_of(std::string_view name) const {
    const Place named = find(name);
    return named.declared() ? named : values;
  }
};

// Looks up the fields of a struct or map, which are mostly in the order of its type.
class FieldLookup {
 public:
  explicit FieldLookup(const Atom& atom) : atom_(atom) {}

  Place find(std::string_view name) { return atom_.find(name, guess_); }
  Place place_of(std::string_view name) {
    const Place named = find(name);
    return named.declared() ? named : atom_.values;
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
