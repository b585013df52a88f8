#pragma once

#include <cstdint>
#include <span>
#include <string_view>

// The model of the API as data. Types and fields are built once (from schema files, or by code
// through TypeBuilder), lie in an arena that their Schema owns, and are immutable afterwards.

namespace proa::api {

// The representation of a value in JSON and protobuf. Forms after kMessage have their own notation,
// implemented in code.
enum class Form : uint8_t {
  kString,
  kBool,
  kInt32,
  kInt64,
  kDouble,
  kBytes,  // base64 in JSON
  kAny,    // any JSON; has no protobuf
  kMessage,
  kQuantity,
  kIntOrString,
  kTime,       // seconds, or null
  kMicroTime,  // microseconds, or null
  kDuration,   // "1h30m0s"
  kRaw,        // any JSON; protobuf holds its text, or an enveloped object
  kJson,       // any JSON; protobuf holds its text
  kStrings,    // a list wrapped in a message in protobuf
  kSchemaOrList,
  kSchemaOrBool,
  kSchemaOrStrings,
};

enum class Shape : uint8_t { kSingle, kList, kMap };

// When a field is omitted from JSON, as the tags of upstream's structs say.
enum class Omit : uint8_t {
  kEmpty,  // "", 0, false, null, empty lists and maps; never a non-pointer message
  kZero,   // types with IsZero: the zero time
  kNever,
};

enum class ListType : uint8_t { kNone, kAtomic, kSet, kMap };
enum class MapType : uint8_t { kNone, kAtomic, kGranular };

// How a strategic merge patch treats a field.
struct PatchRule {
  bool merge = false;
  bool replace = false;
  bool retain_keys = false;
  std::string_view key;  // of the items of a list
};

// Rules that few fields need.
struct FieldRules {
  std::string_view proto_name;           // if it is not the JSON name
  std::string_view default_json;         // JSON text; empty for none
  std::string_view server_default_json;  // the same, but not shown in OpenAPI
  std::string_view gate;                 // the feature gate of the field
  std::string_view go_type;              // its type in Go, if that is a named one
  bool gate_off = false;                 // off by default
  bool deprecated = false;
  bool milli = false;  // finer quantities are rounded up to thousandths
  ListType list_type = ListType::kNone;
  MapType map_type = MapType::kNone;
  PatchRule patch;
  std::span<const std::string_view> keys;    // keys of a map list
  std::span<const std::string_view> values;  // allowed values; empty: any
};

struct Type;

struct Field {
  std::string_view name;              // in JSON
  const Type* type = nullptr;         // of the elements, for a list or map
  const FieldRules* rules = nullptr;  // null: nothing special
  uint32_t number = 0;                // in protobuf; zero: absent there
  Shape shape = Shape::kSingle;
  Omit omit = Omit::kEmpty;
  bool pointer = false;  // absent differs from zero
  bool required = false;
};

// The wire layout of a protobuf message, ascending by number. A group is a nested message whose
// fields are in the parent in JSON; it is always written.
struct Wire {
  struct Entry {
    uint32_t number = 0;
    uint32_t field = 0;           // index into Type::fields
    const Wire* group = nullptr;  // instead of a field
  };

  std::span<const Entry> entries;
  std::string_view group_name;

  // Null if there is no such number.
  const Entry* find(uint32_t number) const;
};

// At most one of these fields may be set; the discriminator, if any, says which.
struct Union {
  struct Choice {
    std::string_view field;
    std::string_view value;
  };
  std::string_view discriminator;
  std::span<const Choice> choices;
};

struct Type {
  std::string_view name;           // "PodSpec"
  std::string_view openapi;        // "io.k8s.api.core.v1.PodSpec"
  std::string_view proto;          // "k8s.io.api.core.v1.PodSpec"
  std::string_view group_version;  // "apps/v1", "v1"
  std::string_view description;
  Form form = Form::kMessage;
  MapType map_type = MapType::kNone;
  bool is_kind = false;  // has kind and apiVersion, as its first two fields
  bool open = false;     // may have more fields, which are kept as they are, after its own ones
  bool has_proto = true;
  bool published = true;  // in OpenAPI
  bool deprecated = false;
  std::span<const Field> fields;      // in the order in which JSON is written
  std::span<const uint16_t> by_name;  // indexes into fields
  // Of the fields, in their order; none if no field has one. Apart from them, as only OpenAPI reads
  // descriptions, and decoders read fields all the time.
  std::span<const std::string_view> descriptions;
  std::span<const Union> unions;
  const Type* element = nullptr;  // for forms that are a schema or something else: the schema
  Wire wire;

  // Null if there is no such field; names are case-sensitive. `guess`: the expected position, which
  // makes it fast for objects in the order of their type.
  const Field* find(std::string_view field_name, size_t guess = 0) const;
  size_t index_of(const Field& field) const { return static_cast<size_t>(&field - fields.data()); }
  // Empty if the field has none. REQUIRES: the field is one of this type.
  std::string_view describe(const Field& field) const {
    return descriptions.empty() ? std::string_view() : descriptions[index_of(field)];
  }

  bool is_message() const { return form == Form::kMessage; }
};

// The types of string, bool, int32 and so on; null for other words.
const Type* scalar_type(std::string_view word);

}  // namespace proa::api
