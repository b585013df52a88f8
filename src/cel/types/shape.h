#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cel/types/type.h"
#include "json/value.h"

namespace proa::cel {

enum class ShapeKind : uint8_t {
  kUntyped,    // no type: reading the value fails
  kPreserved,  // no type, but unknown fields are kept: it can be compared, nothing else
  kIntOrString,
  kObject,  // with known fields
  kMap,     // of strings to `element`
  kList,    // of `element`
  kString,
  kBytes,
  kDuration,
  kDate,
  kDateTime,
  kDouble,
  kInt,
  kBool,
};

enum class ListKind : uint8_t { kAtomic, kSet, kMap, kUnknown };

struct Shape;

struct ShapeField {
  std::string_view name;
  std::string_view escaped;  // how expressions write it; empty: they cannot
  const Shape* shape = nullptr;
  bool declared = true;  // by the schema itself
};

// What a structural schema says of a value to expressions: its type, its format, and how large it
// can be. Upstream has this as a schema and a DeclType. Lives in Shapes.
struct Shape {
  ShapeKind kind = ShapeKind::kUntyped;
  bool nullable = false;
  bool has_properties = false;  // a null field is absent, and names are escaped
  ListKind list = ListKind::kAtomic;
  std::string_view unknown_list;       // the name of a list type that is not known
  const Type* type = nullptr;          // null: expressions do not see it
  uint64_t max_elements = 0;           // of lists and maps; bytes of texts
  int64_t min_size = 0;                // bytes of the shortest JSON
  const Shape* element = nullptr;      // of lists and maps
  std::span<const ShapeField> fields;  // by name
  std::span<const std::string_view> list_map_keys;
  std::span<const std::string_view> escaped_list_map_keys;
  const Shape* parent = nullptr;
  std::string_view step;  // from the parent: an escaped name, "@idx" or "@elem"

  // Null if there is none.
  const ShapeField* field(std::string_view name) const;
  const ShapeField* escaped_field(std::string_view name) const;
};

// The type that the schema states: "object", "array"; empty if it states none.
std::string_view schema_type(const Shape& shape);

// "selfType.spec.@idx": for messages. Upstream's names have a random number.
std::string shape_name(const Shape& shape);

// How often a value of this shape can be in the largest request: what a rule's cost is multiplied
// by if lists or maps around it have no limit.
uint64_t max_cardinality(const Shape& shape);

// The shapes of a schema and of all schemas in it. Immutable; shared by all threads.
class Shapes {
 public:
  // `resource_root`: the schema of a whole object, which has apiVersion, kind and metadata even if
  // it does not say so. REQUIRES: a structural schema; what it gets wrong is left out. The schema
  // need not outlive this.
  Shapes(const json::Value& schema, bool resource_root);

  const Shape& root() const { return *root_; }
  size_t memory() const;

 private:
  std::unique_ptr<TypeArena> types_ = std::make_unique<TypeArena>();
  const Shape* root_;
};

}  // namespace proa::cel
