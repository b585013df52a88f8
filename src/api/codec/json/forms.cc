#include "api/codec/json/forms.h"

#include <fmt/format.h>

#include <cmath>

#include "api/codec/base64.h"
#include "api/codec/timestamp.h"
#include "api/quantity.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "base/time.h"
#include "json/print.h"

namespace proa::api {
namespace json_forms {

using json::Kind;
using json::Value;

// Whether a valid text is already canonical. Nearly all are.
bool is_canonical_time(std::string_view text, TimePrecision precision) {
  constexpr std::string_view kSeconds = "2006-01-02T15:04:05Z";
  constexpr std::string_view kMicros = "2006-01-02T15:04:05.000000Z";
  if (!text.ends_with('Z')) return false;
  if (precision == TimePrecision::kSeconds) return text.size() == kSeconds.size();
  return text.size() == kMicros.size() && text[kSeconds.size() - 1] == '.';
}

Result<Value> normalise_time(json::Arena& arena, Value value, TimePrecision precision,
                             const FieldPath* path) {
  if (!value.is(Kind::kString)) return cannot_unmarshal(value, "string", path);
  const Timestamp time = TRY(parse_timestamp(value.as_string(), precision));
  if (time.is_zero()) return Value();
  if (is_canonical_time(value.as_string(), precision)) return value;
  const std::string text = TRY(format_timestamp(time, precision));
  if (text == value.as_string()) return value;
  return Value::string(arena, text);
}

// Whether a text is canonical as most quantities are: a number below 1000, too small for the next
// larger suffix.
bool is_small_quantity(std::string_view text) {
  constexpr size_t kMaxDigits = 3;
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits == 0 || digits > kMaxDigits || text[0] == '0') return false;
  const std::string_view suffix = text.substr(digits);
  return suffix.empty() || suffix == "m" || suffix == "Ki" || suffix == "Mi" || suffix == "Gi";
}

Result<Value> normalise_quantity(json::Arena& arena, Value value) {
  if (value.is(Kind::kString) && is_small_quantity(value.as_string())) return value;
  // Upstream accepts any JSON and parses its text.
  const std::string text =
      value.is(Kind::kString) ? std::string(trim(value.as_string())) : json::print(value);
  const Quantity quantity = TRY(Quantity::parse(text));
  std::string canonical = quantity.str();
  if (value.is(Kind::kString) && value.as_string() == canonical) return value;
  return Value::string(arena, canonical);
}

Result<Value> normalise_bytes(json::Arena& arena, Value value, const FieldPath* path) {
  if (!value.is(Kind::kString)) return cannot_unmarshal(value, "[]uint8", path);
  if (from_base64(value.as_string())) return value;
  return Value::string(arena, to_base64(TRY(read_base64(value.as_string()))));
}

Result<Value> normalise_int_or_string(Value value, const FieldPath* path) {
  settle_minus_zero(value);
  const bool fits = value.is(Kind::kInt) && value.as_int() == static_cast<int32_t>(value.as_int());
  if (!fits && !value.is(Kind::kString)) return cannot_unmarshal(value, "int32", path);
  return value;
}

Result<Value> normalise_duration(json::Arena& arena, const Value& value, const FieldPath* path) {
  if (!value.is(Kind::kString)) return cannot_unmarshal(value, "string", path);
  const Duration duration = TRY(parse_duration(value.as_string()));
  return Value::string(arena, format_duration(duration));
}

}  // namespace json_forms

Result<json::Value> normalise_form(json::Arena& arena, const Type& type, json::Value value,
                                   const FieldPath* path) {
  switch (type.form) {
    case Form::kBytes:
      return json_forms::normalise_bytes(arena, std::move(value), path);
    case Form::kQuantity:
      return json_forms::normalise_quantity(arena, std::move(value));
    case Form::kIntOrString:
      return json_forms::normalise_int_or_string(std::move(value), path);
    case Form::kTime:
      return json_forms::normalise_time(arena, std::move(value), TimePrecision::kSeconds, path);
    case Form::kMicroTime:
      return json_forms::normalise_time(arena, std::move(value), TimePrecision::kMicros, path);
    case Form::kDuration:
      return json_forms::normalise_duration(arena, value, path);
    default:
      return value;
  }
}

void settle_minus_zero(json::Value& value) {
  const bool minus_zero =
      value.is(json::Kind::kDouble) && value.as_double() == 0 && std::signbit(value.as_double());
  if (minus_zero) value = json::Value::integer(0);
}

std::string_view go_kind(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::kNull:
      return "null";
    case json::Kind::kBool:
      return "bool";
    case json::Kind::kInt:
    case json::Kind::kDouble:
      return "number";
    case json::Kind::kString:
      return "string";
    case json::Kind::kArray:
      return "array";
    case json::Kind::kObject:
      return "object";
  }
  return {};
}

Status cannot_unmarshal(const json::Value& found, std::string_view type, const FieldPath* path) {
  const std::string where = path == nullptr ? std::string() : path->go_path();
  const std::string target = where.empty() ? "value" : "struct field " + where;
  // Numbers are printed if the type is numeric, too.
  const bool exact = found.is_number() && type.starts_with("int");
  return {Reason::kBadRequest,
          fmt::format("json: cannot unmarshal {} into Go {} of type {}",
                      exact ? "number " + json::print(found) : std::string(go_kind(found)), target,
                      type)};
}

std::string go_type(const Type& type) {
  switch (type.form) {
    case Form::kString:
      return "string";
    case Form::kBool:
      return "bool";
    case Form::kInt32:
      return "int32";
    case Form::kInt64:
      return "int64";
    case Form::kDouble:
      return "float64";
    case Form::kBytes:
      return "[]uint8";
    case Form::kQuantity:
      return "resource.Quantity";
    case Form::kIntOrString:
      return "intstr.IntOrString";
    case Form::kRaw:
      return "runtime.RawExtension";
    default: {
      const auto halves = split_once(type.group_version, '/');
      return fmt::format("{}.{}", halves ? halves->after : type.group_version, type.name);
    }
  }
}

std::string go_type(const Field& field) {
  if (field.rules != nullptr && !field.rules->go_type.empty())
    return std::string(field.rules->go_type);
  std::string type = go_type(*field.type);
  if (field.shape == Shape::kList) return "[]" + type;
  if (field.shape == Shape::kMap) return "map[string]" + type;
  return type;
}

}  // namespace proa::api
