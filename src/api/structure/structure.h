#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "api/schema/model.h"
#include "api/structure/format.h"
#include "base/result.h"
#include "json/value.h"

// The schema of a version of a CustomResourceDefinition, as code over objects reads it. Everything
// lies in the arena of its Structures, and is immutable.

namespace proa::api {

enum class StructureKind : uint8_t {
  kNone,  // it states no type
  kObject,
  kArray,
  kString,
  kInteger,
  kNumber,
  kBoolean,
};

// "object", "array" and so on; empty for kNone.
std::string_view kind_name(StructureKind kind);

struct Structure;

struct NumberChecks {
  std::optional<double> minimum;
  std::optional<double> maximum;
  std::optional<double> multiple_of;
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
};

// Negative ones are as stated: they fail for every value, or for none.
struct SizeChecks {
  std::optional<int64_t> min_length;
  std::optional<int64_t> max_length;
  std::optional<int64_t> min_items;
  std::optional<int64_t> max_items;
  std::optional<int64_t> min_properties;
  std::optional<int64_t> max_properties;
};

// Schemas that only restrict values further.
struct Combinations {
  std::span<const Structure* const> all_of;
  std::span<const Structure* const> any_of;
  std::span<const Structure* const> one_of;
  const Structure* negated = nullptr;  // `not`
};

// What a schema says about values besides their type.
struct Checks {
  std::string_view
      format_name;           // as stated; `format` is kNone if it is not known, or of no such type
  std::string_view pattern;  // empty: none
  const NumberChecks* number = nullptr;
  const SizeChecks* size = nullptr;
  const Combinations* combinations = nullptr;
  std::span<const json::Value> choices;  // `enum`; empty: any
  std::span<const std::string_view> required;
  Format format = Format::kNone;
  bool unique_items = false;
};

struct Property {
  std::string_view name;
  const Structure* structure = nullptr;
};

// A structural schema, or one of allOf, anyOf, oneOf and not.
struct Structure {
  StructureKind kind = StructureKind::kNone;
  ListType list_type = ListType::kNone;
  MapType map_type = MapType::kNone;
  bool nullable : 1 = false;
  bool preserves_unknown : 1 = false;
  bool embedded_resource : 1 = false;
  bool int_or_string : 1 = false;
  bool formatted : 1 = false;             // a string with a format, known or not, except bytes
  bool states_properties : 1 = false;     // also if there are none
  bool states_additional : 1 = false;     // `additionalProperties`: a schema, true or false
  bool allows_additional : 1 = false;     // a schema, or true
  bool has_defaults : 1 = false;          // this one, or one in it (not those of combinations)
  bool has_embedded : 1 = false;          // this one, or one in it
  bool has_list_types : 1 = false;        // this one, or one in it: sets and maps
  std::span<const Property> properties;   // by name
  const Structure* items = nullptr;       // null: not stated
  const Structure* additional = nullptr;  // null: not stated, true or false
  const json::Value* default_value = nullptr;
  const std::span<const std::string_view>* list_map_keys = nullptr;
  const Checks* checks = nullptr;  // null: none

  std::span<const std::string_view> keys() const {
    return list_map_keys == nullptr ? std::span<const std::string_view>() : *list_map_keys;
  }
  // Null if there is no such property. `guess`: the expected position, which makes it fast for
  // objects whose keys are sorted.
  const Property* find(std::string_view name, size_t guess = 0) const;
};

// A schema and all schemas in it. Shared by all threads.
class Structures {
 public:
  // What one definition may have. The largest ones in use have some thousands.
  static constexpr size_t kMaxStructures = 100'000;

  // `schema`: a JSONSchemaProps; it need not outlive this. What it gets wrong is left out: whether
  // it is structural is checked when the definition is written. Fails if it is too large.
  static Result<Structures> parse(const json::Value& schema);

  const Structure& root() const { return *root_; }
  size_t memory() const;

 private:
  Structures() = default;

  std::unique_ptr<json::Arena> arena_;
  const Structure* root_ = nullptr;
};

}  // namespace proa::api
