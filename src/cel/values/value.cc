#include "cel/values/value.h"

#include <new>

namespace proa::cel {

Value Value::unsigned_integer(uint64_t number) {
  return Value(ValueKind::kUint, static_cast<int64_t>(number));
}

Value Value::number(double number) {
  Value value;
  value.kind_ = ValueKind::kDouble;
  value.content_.number = number;
  return value;
}

Value Value::timestamp(int64_t seconds, uint32_t nanoseconds) {
  Value value(ValueKind::kTimestamp, seconds);
  value.size_ = nanoseconds;
  return value;
}

Value Value::list(const ListBuffer* buffer, uint32_t size) {
  Value value;
  value.kind_ = ValueKind::kList;
  value.size_ = size;
  value.content_.list = buffer;
  return value;
}

Value Value::sum(const ListSum* sum, uint32_t size) {
  Value value;
  value.kind_ = ValueKind::kList;
  value.source_ = Source::kSum;
  value.size_ = size;
  value.content_.sum = sum;
  return value;
}

Value Value::map(const MapBuffer* buffer) {
  Value value;
  value.kind_ = ValueKind::kMap;
  value.size_ = buffer->size;
  value.content_.map = buffer;
  return value;
}

Value Value::json_list(const json::Value* array) {
  Value value;
  value.kind_ = ValueKind::kList;
  value.source_ = Source::kJson;
  value.size_ = static_cast<uint32_t>(array->size());
  value.content_.json = array;
  return value;
}

Value Value::json_map(const json::Value* object) {
  Value value = json_list(object);
  value.kind_ = ValueKind::kMap;
  return value;
}

Value Value::typed_list(const TypedNode* node) {
  Value value = json_list(node->json);
  value.source_ = Source::kTyped;
  value.content_.typed = node;
  return value;
}

Value Value::typed_map(const TypedNode* node) {
  Value value = typed_list(node);
  value.kind_ = ValueKind::kMap;
  return value;
}

Value Value::type(const Type* type) {
  Value value;
  value.kind_ = ValueKind::kType;
  value.content_.type = type;
  return value;
}

Value Value::optional(const Value* of) {
  Value value;
  value.kind_ = ValueKind::kOptional;
  value.content_.value = of;
  return value;
}

Value Value::opaque(const Opaque* object) {
  Value value;
  value.kind_ = ValueKind::kOpaque;
  value.content_.opaque = object;
  return value;
}

std::optional<Value> Opaque::member(std::string_view) const { return std::nullopt; }

const Type& type_of(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull:
      return types::kNull;
    case ValueKind::kBool:
      return types::kBool;
    case ValueKind::kInt:
      return types::kInt;
    case ValueKind::kUint:
      return types::kUint;
    case ValueKind::kDouble:
      return types::kDouble;
    case ValueKind::kString:
      return types::kString;
    case ValueKind::kBytes:
      return types::kBytes;
    case ValueKind::kDuration:
      return types::kDuration;
    case ValueKind::kTimestamp:
      return types::kTimestamp;
    case ValueKind::kList:
      return types::kList;
    case ValueKind::kMap:
      return types::kMap;
    case ValueKind::kType:
      return types::kType;
    case ValueKind::kOptional:
      return types::kOptional;
    case ValueKind::kOpaque:
      return value.as_opaque()->type();
    case ValueKind::kError:
      return types::kError;
  }
  return types::kError;
}

Value from_json(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::kNull:
      return Value::null();
    case json::Kind::kBool:
      return Value::boolean(value.as_bool());
    case json::Kind::kInt:
      return Value::integer(value.as_int());
    case json::Kind::kDouble:
      return Value::number(value.as_double());
    case json::Kind::kString:
      return Value::string(value.as_string());
    case json::Kind::kArray:
      return Value::json_list(&value);
    case json::Kind::kObject:
      return Value::json_map(&value);
  }
  return Value::null();
}

Value make_string(Arena& arena, std::string_view text) { return Value::string(arena.copy(text)); }

Value make_error(Arena& arena, std::string_view text) { return Value::error(arena.copy(text)); }

Value make_optional(Arena& arena, const Value& value) {
  return Value::optional(new (arena.allocate(sizeof(Value), alignof(Value))) Value(value));
}

}  // namespace proa::cel
