#pragma once

#include <optional>
#include <vector>

#include "cel/types/shape.h"
#include "cel/values/value.h"

namespace proa::cel {

// Values of documents that schemas describe: upstream's UnstructuredToVal. Texts become times and
// bytes by their format, names of fields are escaped, fields that are null are absent, and lists
// that are sets or maps have no order.

// An error if the value does not have the type that the schema says. REQUIRES: the document, the
// shape and the arena outlive the value.
Value typed_value(Arena& arena, const json::Value& json, const Shape& shape);

// The shape of a list that a schema describes, also of its sum with another one; else null.
// REQUIRES: a list.
const Shape* list_shape(const Value& list);

// What collections.h says, for typed lists and maps.
Value typed_item(const Value& list, uint32_t index);
Value typed_key(const Value& map, uint32_t index);
Value typed_member(const Value& map, uint32_t index);
std::optional<Value> typed_find(const Value& map, const Value& key);
// An element of another list as one of a list with such elements: upstream keeps the plain values
// of both.
Value adopted(Arena& arena, const Value& value, const Shape& shape);
// A union of sets, a merge of maps by their keys. REQUIRES: list_shape(left) is a set or a map.
Value typed_sum(Arena& arena, const Value& left, const Value& right);

// Whether the schema describes a member of a document's object.
bool is_known_member(const Shape& shape, std::string_view name);
// A map with those members only: what a loop sees.
Value known_members(Arena& arena, const Value& map);

// Whether all elements are in the set. REQUIRES: lists.
bool is_subset(const Value& elements, const Value& set);
// For each element of `other` the position of the element of `list` with the same keys.
// REQUIRES: a list that is a map by its schema.
inline constexpr uint32_t kNoPosition = UINT32_MAX;
std::vector<uint32_t> positions_by_key(const Value& list, const Value& other);

}  // namespace proa::cel
