#include "api/structure/structure_reader.h"

#include <algorithm>
#include <new>

namespace proa::api {
namespace structure_reader {

constexpr StructureKind kKinds[] = {StructureKind::kObject, StructureKind::kArray,
                                    StructureKind::kString, StructureKind::kInteger,
                                    StructureKind::kNumber, StructureKind::kBoolean};

const json::Value* find_of(const json::Value& schema, std::string_view key, json::Kind kind) {
  const json::Value* value = schema.find(key);
  return value != nullptr && value->is(kind) ? value : nullptr;
}

std::string_view text_of(const json::Value& schema, std::string_view key) {
  const json::Value* value = find_of(schema, key, json::Kind::kString);
  return value == nullptr ? std::string_view() : value->as_string();
}

bool flag_of(const json::Value& schema, std::string_view key) {
  const json::Value* value = find_of(schema, key, json::Kind::kBool);
  return value != nullptr && value->as_bool();
}

std::optional<int64_t> integer_of(const json::Value& schema, std::string_view key) {
  const json::Value* value = find_of(schema, key, json::Kind::kInt);
  return value == nullptr ? std::nullopt : std::optional(value->as_int());
}

std::optional<double> number_of(const json::Value& schema, std::string_view key) {
  const json::Value* value = schema.find(key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->as_double();
}

StructureKind kind_of(std::string_view name) {
  for (const StructureKind kind : kKinds) {
    if (kind_name(kind) == name) return kind;
  }
  return StructureKind::kNone;
}

ListType list_type_of(std::string_view name) {
  if (name == "atomic") return ListType::kAtomic;
  if (name == "set") return ListType::kSet;
  return name == "map" ? ListType::kMap : ListType::kNone;
}

MapType map_type_of(std::string_view name) {
  if (name == "atomic") return MapType::kAtomic;
  return name == "granular" ? MapType::kGranular : MapType::kNone;
}

bool same_flags(const Structure& a, const Structure& b) {
  return a.kind == b.kind && a.list_type == b.list_type && a.map_type == b.map_type &&
         a.nullable == b.nullable && a.preserves_unknown == b.preserves_unknown &&
         a.embedded_resource == b.embedded_resource && a.int_or_string == b.int_or_string &&
         a.formatted == b.formatted && a.states_properties == b.states_properties &&
         a.states_additional == b.states_additional && a.allows_additional == b.allows_additional;
}

}  // namespace structure_reader

template <typename T>
std::span<T> StructureReader::new_array(size_t size) {
  static_assert(std::is_trivially_destructible_v<T>);
  if (size == 0) return {};
  // NOLINTNEXTLINE(bugprone-sizeof-expression): also of pointers
  auto* place = static_cast<T*>(arena_.allocate(sizeof(T) * size, alignof(T)));
  for (size_t i = 0; i < size; ++i) new (&place[i]) T();
  return {place, size};
}

template <typename T>
const T* StructureReader::keep_one(const T& value) {
  std::span<T> place = new_array<T>(1);
  place[0] = value;
  return place.data();
}

std::string_view StructureReader::keep_text(std::string_view text) {
  const auto found = texts_.find(text);
  if (found != texts_.end()) return *found;
  const std::string_view kept = arena_.copy(text);
  texts_.insert(kept);
  return kept;
}

const Structure* StructureReader::keep_structure(const Structure& structure) {
  const bool plain = structure.properties.empty() && structure.items == nullptr &&
                     structure.additional == nullptr && structure.default_value == nullptr &&
                     structure.list_map_keys == nullptr && structure.checks == nullptr;
  if (!plain) return keep_one(structure);
  for (const Structure* one : plain_) {
    if (structure_reader::same_flags(*one, structure)) return one;
  }
  return plain_.emplace_back(keep_one(structure));
}

const Structure* StructureReader::read(const json::Value& schema) {
  const Structure* root = read_one(schema);
  return count_ > Structures::kMaxStructures ? nullptr : root;
}

const Structure* StructureReader::read_one(const json::Value& schema) {
  Structure structure;
  if (++count_ > Structures::kMaxStructures) return keep_structure(structure);
  structure.kind = structure_reader::kind_of(structure_reader::text_of(schema, "type"));
  structure.nullable = structure_reader::flag_of(schema, "nullable");
  const std::string_view format = structure_reader::text_of(schema, "format");
  structure.formatted =
      structure.kind == StructureKind::kString && !format.empty() && format != "byte";
  read_extensions(schema, structure);
  const json::Value* default_value = schema.find("default");
  if (default_value != nullptr && !default_value->is_null()) {
    structure.default_value = new (arena_.allocate(sizeof(json::Value), alignof(json::Value)))
        json::Value(default_value->copy(arena_));
    structure.has_defaults = true;
  }
  read_parts(schema, structure);
  structure.checks = read_checks(schema, structure);
  return keep_structure(structure);
}

void StructureReader::read_extensions(const json::Value& schema, Structure& structure) {
  structure.preserves_unknown =
      structure_reader::flag_of(schema, "x-kubernetes-preserve-unknown-fields");
  structure.int_or_string = structure_reader::flag_of(schema, "x-kubernetes-int-or-string");
  structure.embedded_resource = structure_reader::flag_of(schema, "x-kubernetes-embedded-resource");
  structure.has_embedded = structure.embedded_resource;
  structure.list_type =
      structure_reader::list_type_of(structure_reader::text_of(schema, "x-kubernetes-list-type"));
  structure.map_type =
      structure_reader::map_type_of(structure_reader::text_of(schema, "x-kubernetes-map-type"));
  structure.has_list_types =
      structure.list_type == ListType::kSet || structure.list_type == ListType::kMap;
  const std::span<const std::string_view> keys =
      read_texts(schema.find("x-kubernetes-list-map-keys"));
  if (!keys.empty()) structure.list_map_keys = keep_one(keys);
}

void StructureReader::read_parts(const json::Value& schema, Structure& structure) {
  const auto add = [&](const json::Value& part) {
    const Structure* made = read_one(part);
    structure.has_defaults = structure.has_defaults || made->has_defaults;
    structure.has_embedded = structure.has_embedded || made->has_embedded;
    structure.has_list_types = structure.has_list_types || made->has_list_types;
    return made;
  };
  if (const json::Value* items = structure_reader::find_of(schema, "items", json::Kind::kObject)) {
    structure.items = add(*items);
  }
  if (const json::Value* additional = schema.find("additionalProperties")) {
    const bool is_schema = additional->is(json::Kind::kObject);
    structure.states_additional = is_schema || additional->is(json::Kind::kBool);
    structure.allows_additional =
        is_schema || (additional->is(json::Kind::kBool) && additional->as_bool());
    if (is_schema) structure.additional = add(*additional);
  }
  const json::Value* properties =
      structure_reader::find_of(schema, "properties", json::Kind::kObject);
  if (properties == nullptr) return;
  structure.states_properties = true;
  std::span<Property> made = new_array<Property>(properties->size());
  for (size_t i = 0; i < made.size(); ++i) {
    const json::Member& member = properties->members()[i];
    made[i] = {.name = keep_text(member.key), .structure = add(member.value)};
  }
  std::sort(made.begin(), made.end(),
            [](const Property& a, const Property& b) { return a.name < b.name; });
  structure.properties = made;
}

const Checks* StructureReader::read_checks(const json::Value& schema, const Structure& structure) {
  Checks checks;
  read_format(schema, structure, checks);
  checks.pattern = keep_text(structure_reader::text_of(schema, "pattern"));
  checks.number = read_number_checks(schema);
  checks.size = read_size_checks(schema);
  checks.combinations = read_combinations(schema);
  checks.required = read_texts(schema.find("required"));
  checks.unique_items = structure_reader::flag_of(schema, "uniqueItems");
  if (const json::Value* choices = schema.find("enum")) {
    std::span<json::Value> made = new_array<json::Value>(choices->items().size());
    for (size_t i = 0; i < made.size(); ++i) made[i] = choices->items()[i].copy(arena_);
    checks.choices = made;
  }
  const bool empty = checks.format_name.empty() && checks.pattern.empty() &&
                     checks.number == nullptr && checks.size == nullptr &&
                     checks.combinations == nullptr && checks.choices.empty() &&
                     checks.required.empty() && !checks.unique_items;
  return empty ? nullptr : keep_one(checks);
}

// Upstream's StripUnsupportedFormatsPostProcess.
void StructureReader::read_format(const json::Value& schema, const Structure& structure,
                                  Checks& checks) {
  const std::string_view name = structure_reader::text_of(schema, "format");
  if (name.empty()) return;
  // Two types are as none.
  switch (structure.int_or_string ? StructureKind::kNone : structure.kind) {
    case StructureKind::kNone:
    case StructureKind::kString:
      checks.format = text_format(name);
      break;
    case StructureKind::kInteger:
      checks.format = integer_format(name);
      break;
    case StructureKind::kNumber:
      checks.format = number_format(name);
      break;
    default:
      break;
  }
  checks.format_name = keep_text(name);
}

const NumberChecks* StructureReader::read_number_checks(const json::Value& schema) {
  const NumberChecks checks{
      .minimum = structure_reader::number_of(schema, "minimum"),
      .maximum = structure_reader::number_of(schema, "maximum"),
      .multiple_of = structure_reader::number_of(schema, "multipleOf"),
      .exclusive_minimum = structure_reader::flag_of(schema, "exclusiveMinimum"),
      .exclusive_maximum = structure_reader::flag_of(schema, "exclusiveMaximum")};
  return checks.minimum || checks.maximum || checks.multiple_of ? keep_one(checks) : nullptr;
}

const SizeChecks* StructureReader::read_size_checks(const json::Value& schema) {
  const SizeChecks checks{.min_length = structure_reader::integer_of(schema, "minLength"),
                          .max_length = structure_reader::integer_of(schema, "maxLength"),
                          .min_items = structure_reader::integer_of(schema, "minItems"),
                          .max_items = structure_reader::integer_of(schema, "maxItems"),
                          .min_properties = structure_reader::integer_of(schema, "minProperties"),
                          .max_properties = structure_reader::integer_of(schema, "maxProperties")};
  const bool any = checks.min_length || checks.max_length || checks.min_items || checks.max_items ||
                   checks.min_properties || checks.max_properties;
  return any ? keep_one(checks) : nullptr;
}

const Combinations* StructureReader::read_combinations(const json::Value& schema) {
  Combinations made;
  made.all_of = read_list(schema.find("allOf"));
  made.any_of = read_list(schema.find("anyOf"));
  made.one_of = read_list(schema.find("oneOf"));
  if (const json::Value* negated = structure_reader::find_of(schema, "not", json::Kind::kObject)) {
    made.negated = read_one(*negated);
  }
  const bool any = !made.all_of.empty() || !made.any_of.empty() || !made.one_of.empty() ||
                   made.negated != nullptr;
  return any ? keep_one(made) : nullptr;
}

std::span<const Structure* const> StructureReader::read_list(const json::Value* schemas) {
  if (schemas == nullptr) return {};
  std::span<const Structure*> made = new_array<const Structure*>(schemas->items().size());
  for (size_t i = 0; i < made.size(); ++i) made[i] = read_one(schemas->items()[i]);
  return made;
}

std::span<const std::string_view> StructureReader::read_texts(const json::Value* texts) {
  if (texts == nullptr) return {};
  std::vector<std::string_view> found;
  for (const json::Value& one : texts->items()) {
    if (one.is(json::Kind::kString)) found.push_back(keep_text(one.as_string()));
  }
  std::span<std::string_view> made = new_array<std::string_view>(found.size());
  std::copy(found.begin(), found.end(), made.begin());
  return made;
}

}  // namespace proa::api
