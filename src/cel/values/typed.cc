#include "cel/values/typed.h"

#include <bit>
#include <new>
#include <string>
#include <unordered_map>

#include "base/text/seeded_hash.h"
#include "cel/types/escape.h"
#include "cel/values/collections.h"
#include "cel/values/formats.h"
#include "cel/values/list_sum.h"
#include "json/key_index.h"

namespace proa::cel {
namespace typed {

// The names of Go's types, which messages show.
std::string_view go_type(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::kNull:
      return "<nil>";
    case json::Kind::kBool:
      return "bool";
    case json::Kind::kInt:
      return "int64";
    case json::Kind::kDouble:
      return "float64";
    case json::Kind::kString:
      return "string";
    case json::Kind::kArray:
      return "[]interface {}";
    case json::Kind::kObject:
      return "map[string]interface {}";
  }
  return {};
}

std::string_view go_type(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBool:
      return "bool";
    case ValueKind::kInt:
      return "int64";
    case ValueKind::kUint:
      return "uint64";
    case ValueKind::kDouble:
      return "float64";
    case ValueKind::kString:
      return "string";
    case ValueKind::kBytes:
      return "[]uint8";
    case ValueKind::kDuration:
      return "time.Duration";
    case ValueKind::kTimestamp:
      return "time.Time";
    case ValueKind::kNull:
      return "structpb.NullValue";
    case ValueKind::kList:
      return "[]ref.Val";
    case ValueKind::kMap:
      return "map[ref.Val]ref.Val";
    default:
      return "ref.Val";
  }
}

Value unexpected(Arena& arena, std::string_view expected, std::string_view got) {
  return make_error(
      arena, "invalid data, expected " + std::string(expected) + ", got " + std::string(got));
}

Value int_or_string(const Value& value) {
  if (value.is(ValueKind::kInt) || value.is(ValueKind::kString)) return value;
  return Value::error("invalid data, expected XIntOrString value to be either a string or integer");
}

Value text(Arena& arena, std::string_view text, ShapeKind kind) {
  switch (kind) {
    case ShapeKind::kDuration:
      return read_duration(arena, text);
    case ShapeKind::kDate:
      return read_date(arena, text);
    case ShapeKind::kDateTime:
      return read_date_time(arena, text);
    case ShapeKind::kBytes:
      return read_bytes(arena, text);
    default:
      return Value::string(text);
  }
}

// A value that is no list or map, by its schema. `got`: the name of its type in Go.
Value scalar(Arena& arena, const Value& value, const Shape& shape, std::string_view got) {
  switch (shape.kind) {
    case ShapeKind::kIntOrString:
      return int_or_string(value);
    case ShapeKind::kString:
    case ShapeKind::kBytes:
    case ShapeKind::kDuration:
    case ShapeKind::kDate:
    case ShapeKind::kDateTime:
      if (!value.is(ValueKind::kString)) return unexpected(arena, "string", got);
      return text(arena, value.text(), shape.kind);
    case ShapeKind::kDouble:
      if (value.is(ValueKind::kInt)) return Value::number(static_cast<double>(value.as_int()));
      return value.is(ValueKind::kDouble) ? value : unexpected(arena, "float", got);
    case ShapeKind::kInt:
      return value.is(ValueKind::kInt) ? value : unexpected(arena, "int", got);
    case ShapeKind::kBool:
      return value.is(ValueKind::kBool) ? value : unexpected(arena, "bool", got);
    case ShapeKind::kObject:
    case ShapeKind::kMap:
      return Value::error("invalid data, expected a map for the provided schema with type=object");
    case ShapeKind::kList:
      return Value::error(
          "invalid data, expected an array for the provided schema with type=array");
    case ShapeKind::kPreserved:
      return value;
    case ShapeKind::kUntyped:
      break;
  }
  return Value::error(
      "invalid type, expected object, array, number, integer, boolean or string, or no type with "
      "x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ");
}

const TypedNode* new_node(Arena& arena, const json::Value& json, const Shape& shape) {
  return new (arena.allocate(sizeof(TypedNode), alignof(TypedNode)))
      TypedNode{.json = &json, .shape = &shape, .arena = &arena};
}

Value list(Arena& arena, const json::Value& json, const Shape& shape) {
  if (shape.element == nullptr) {
    return Value::error("invalid array type, expected Items with a non-empty Schema");
  }
  if (shape.list == ListKind::kUnknown) {
    return make_error(arena,
                      "invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got " +
                          std::string(shape.unknown_list));
  }
  return Value::typed_list(new_node(arena, json, shape));
}

// The schema of a member; null if it has none.
const Shape* member_shape(const Shape& shape, std::string_view name) {
  if (shape.kind == ShapeKind::kMap) return shape.element;
  const ShapeField* field = shape.field(name);
  return field == nullptr ? nullptr : field->shape;
}

// A text for a plain value, by which elements of sets and keys of maps are compared. Nullopt: it
// equals nothing.
std::optional<std::string> identity(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBool:
      return value.as_bool() ? "t" : "f";
    case ValueKind::kInt:
      return "i" + std::to_string(value.as_int());
    case ValueKind::kDouble:
      return "d" + std::to_string(std::bit_cast<uint64_t>(value.as_double()));
    case ValueKind::kString:
      return "s" + std::string(value.text());
    default:
      return std::nullopt;
  }
}

// The plain value of an element; upstream compares those.
Value plain_item(const Value& list, uint32_t index) {
  if (list.is_typed()) return from_json(list.as_typed()->json->items()[index]);
  return list_item(list, index);
}

// The keys of an element of a list that is a map.
std::optional<std::string> key_identity(const Value& element, const Shape& shape) {
  const json::Value* object = nullptr;
  if (element.is(ValueKind::kMap) && element.is_json()) object = element.as_json();
  if (element.is(ValueKind::kMap) && element.is_typed()) object = element.as_typed()->json;
  if (object == nullptr) return std::nullopt;
  std::string out;
  // Upstream looks for the escaped names in the plain object.
  for (const std::string_view key : shape.escaped_list_map_keys) {
    const json::Value* value = object->find(key);
    const std::string part =
        value == nullptr || value->is_null() ? "n" : identity(from_json(*value)).value_or("");
    if (part.empty()) return std::nullopt;
    out += std::to_string(part.size()) + part;
  }
  return out;
}

using Positions = std::unordered_map<std::string, uint32_t, SeededHash>;

Positions key_positions(const Value& list) {
  Positions positions;
  const Shape& shape = *list_shape(list);
  for (uint32_t i = 0; i < list.size(); ++i) {
    if (std::optional<std::string> key = key_identity(plain_item(list, i), shape)) {
      positions[std::move(*key)] = i;
    }
  }
  return positions;
}

// Appends what the union or merge takes from the right side.
void merge(Arena& arena, const Value& left, const Value& right, std::vector<Value>& items) {
  const Shape& shape = *list_shape(left);
  Positions known;
  if (shape.list == ListKind::kMap) known = key_positions(left);
  if (shape.list == ListKind::kSet) {
    for (uint32_t i = 0; i < left.size(); ++i) {
      if (const auto text = identity(plain_item(left, i))) known.emplace(*text, i);
    }
  }
  for (uint32_t i = 0; i < right.size(); ++i) {
    const Value item = list_item(right, i);
    const Value added = adopted(arena, item, *shape.element);
    std::optional<std::string> key;
    if (shape.list == ListKind::kSet) key = identity(item);
    if (shape.list == ListKind::kMap) key = key_identity(item, shape);
    const auto found = key ? known.find(*key) : known.end();
    if (found == known.end()) {
      if (key && shape.list == ListKind::kSet) known.emplace(*key, i);
      items.push_back(added);
    } else if (shape.list == ListKind::kMap) {
      items[found->second] = added;
    }
  }
}

}  // namespace typed

Value typed_value(Arena& arena, const json::Value& json, const Shape& shape) {
  if (json.is_null()) {
    return shape.nullable ? Value::null()
                          : Value::error("invalid data, got null for schema with nullable=false");
  }
  const bool is_map = shape.kind == ShapeKind::kObject || shape.kind == ShapeKind::kMap;
  if (is_map && json.is(json::Kind::kObject)) {
    return Value::typed_map(typed::new_node(arena, json, shape));
  }
  if (shape.kind == ShapeKind::kList && json.is(json::Kind::kArray)) {
    return typed::list(arena, json, shape);
  }
  return typed::scalar(arena, from_json(json), shape, typed::go_type(json));
}

Value adopted(Arena& arena, const Value& value, const Shape& shape) {
  if (value.is_error()) return value;
  if (value.is_typed()) return typed_value(arena, *value.as_typed()->json, shape);
  if (value.is(ValueKind::kNull)) return typed::scalar(arena, value, shape, typed::go_type(value));
  if (value.is_json()) return typed_value(arena, *value.as_json(), shape);
  return typed::scalar(arena, value, shape, typed::go_type(value));
}

const Shape* list_shape(const Value& list) {
  if (list.is_json()) return nullptr;
  if (list.is_sum()) return list.as_sum()->shape;
  return list.is_typed() ? list.as_typed()->shape : list.as_list()->shape;
}

Value typed_item(const Value& list, uint32_t index) {
  const TypedNode& node = *list.as_typed();
  return typed_value(*node.arena, node.json->items()[index], *node.shape->element);
}

Value typed_key(const Value& map, uint32_t index) {
  const TypedNode& node = *map.as_typed();
  const std::string_view name = node.json->members()[index].key;
  const ShapeField* field = node.shape->has_properties ? node.shape->field(name) : nullptr;
  return Value::string(field != nullptr && !field->escaped.empty() ? field->escaped : name);
}

Value typed_member(const Value& map, uint32_t index) {
  const TypedNode& node = *map.as_typed();
  const json::Member& member = node.json->members()[index];
  const Shape* shape = typed::member_shape(*node.shape, member.key);
  if (shape == nullptr) return from_json(member.value);
  return typed_value(*node.arena, member.value, *shape);
}

std::optional<Value> typed_find(const Value& map, const Value& key) {
  if (!key.is(ValueKind::kString)) return no_such_overload();
  const TypedNode& node = *map.as_typed();
  std::string_view name = key.text();
  std::optional<std::string> unescaped;
  if (node.shape->has_properties && is_escaped_name(name)) {
    unescaped = unescape_name(name);
    if (!unescaped) return std::nullopt;
    name = *unescaped;
  }
  const json::Value* value = node.json->find(name);
  if (value == nullptr || (node.shape->has_properties && value->is_null())) return std::nullopt;
  const Shape* shape = typed::member_shape(*node.shape, name);
  if (shape == nullptr) return std::nullopt;
  return typed_value(*node.arena, *value, *shape);
}

Value typed_sum(Arena& arena, const Value& left, const Value& right) {
  // No document has that many elements.
  constexpr uint64_t kLongest = 1'000'000;
  if (uint64_t{left.size()} + right.size() > kLongest) return Value::error("list is too long");
  std::vector<Value> items;
  items.reserve(uint64_t{left.size()} + right.size());
  for (uint32_t i = 0; i < left.size(); ++i) items.push_back(list_item(left, i));
  typed::merge(arena, left, right, items);
  const Value sum = make_list(arena, items);
  const_cast<ListBuffer*>(sum.as_list())->shape = list_shape(left);
  return sum;
}

bool is_known_member(const Shape& shape, std::string_view name) {
  return typed::member_shape(shape, name) != nullptr;
}

Value known_members(Arena& arena, const Value& map) {
  const TypedNode& node = *map.as_typed();
  MapBuilder builder(arena, map.size());
  for (uint32_t i = 0; i < map.size(); ++i) {
    if (!is_known_member(*node.shape, node.json->members()[i].key)) continue;
    builder.set(typed_key(map, i), typed_member(map, i));
  }
  return builder.build();
}

bool is_subset(const Value& elements, const Value& set) {
  typed::Positions known;
  for (uint32_t i = 0; i < set.size(); ++i) {
    if (const auto text = typed::identity(typed::plain_item(set, i))) known.emplace(*text, i);
  }
  for (uint32_t i = 0; i < elements.size(); ++i) {
    const std::optional<std::string> text = typed::identity(list_item(elements, i));
    if (!text || !known.contains(*text)) return false;
  }
  return true;
}

std::vector<uint32_t> positions_by_key(const Value& list, const Value& other) {
  const typed::Positions known = typed::key_positions(list);
  std::vector<uint32_t> positions;
  for (uint32_t i = 0; i < other.size(); ++i) {
    const std::optional<std::string> key =
        typed::key_identity(list_item(other, i), *list_shape(list));
    const auto found = key ? known.find(*key) : known.end();
    positions.push_back(found == known.end() ? kNoPosition : found->second);
  }
  return positions;
}

}  // namespace proa::cel
