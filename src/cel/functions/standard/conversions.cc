#include <charconv>
#include <cmath>
#include <optional>

#include "base/strings.h"
#include "base/time.h"
#include "base/utf8.h"
#include "cel/functions/standard/numbers.h"
#include "cel/functions/tables.h"
#include "cel/values/context.h"
#include "cel/values/print.h"
#include "cel/values/time.h"

namespace proa::cel {
namespace conversion_functions {

Value failed(Context& context, const Value& value, std::string_view to) {
  return context.error("type conversion error from '" + std::string(runtime_name(type_of(value))) +
                       "' to '" + std::string(to) + "'");
}

Value same(Context&, std::span<const Value> args) { return args[0]; }

Value type_of_value(Context&, std::span<const Value> args) {
  return Value::type(&type_of(args[0]));
}

Value string_to_bool(Context& context, std::span<const Value> args) {
  const std::string_view text = args[0].text();
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return Value::boolean(true);
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return Value::boolean(false);
  }
  return failed(context, args[0], "bool");
}

Value string_to_bytes(Context&, std::span<const Value> args) {
  return Value::bytes(args[0].text());
}

Value int_to_double(Context&, std::span<const Value> args) {
  return Value::number(static_cast<double>(args[0].as_int()));
}
Value uint_to_double(Context&, std::span<const Value> args) {
  return Value::number(static_cast<double>(args[0].as_uint()));
}
Value string_to_double(Context& context, std::span<const Value> args) {
  const std::optional<double> number = parse_double(args[0].text());
  return number ? Value::number(*number) : failed(context, args[0], "double");
}

Value int_to_duration(Context& context, std::span<const Value> args) {
  return failed(context, args[0], "google.protobuf.Duration");
}
Value string_to_duration(Context& context, std::span<const Value> args) {
  const Result<Duration> duration = parse_duration(args[0].text());
  if (!duration.ok()) return failed(context, args[0], "google.protobuf.Duration");
  return Value::duration(duration->count());
}

Value double_to_int(Context&, std::span<const Value> args) {
  const double number = args[0].as_double();
  if (!(number > -9223372036854775808.0 && number < 9223372036854775807.0)) {
    return Value::error("integer overflow");
  }
  return Value::integer(static_cast<int64_t>(number));
}
Value duration_to_int(Context&, std::span<const Value> args) {
  return Value::integer(args[0].nanoseconds());
}
Value string_to_int(Context& context, std::span<const Value> args) {
  std::string_view text = args[0].text();
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const std::optional<int64_t> number = parse_int(text);
  return number ? Value::integer(*number) : failed(context, args[0], "int");
}
Value timestamp_to_int(Context&, std::span<const Value> args) {
  return Value::integer(args[0].seconds());
}
Value uint_to_int(Context&, std::span<const Value> args) {
  if (args[0].as_uint() > INT64_MAX) return Value::error("integer overflow");
  return Value::integer(static_cast<int64_t>(args[0].as_uint()));
}

Value bool_to_string(Context&, std::span<const Value> args) {
  return Value::string(args[0].as_bool() ? "true" : "false");
}
Value bytes_to_string(Context&, std::span<const Value> args) {
  if (!is_utf8(args[0].text())) {
    return Value::error("invalid UTF-8 in bytes, cannot convert to string");
  }
  return Value::string(args[0].text());
}
Value double_to_string(Context& context, std::span<const Value> args) {
  return context.string(print_double(args[0].as_double()));
}
Value duration_to_string(Context& context, std::span<const Value> args) {
  return context.string(print_plain_double(seconds_of(args[0].nanoseconds())) + "s");
}
Value int_to_string(Context& context, std::span<const Value> args) {
  return context.string(std::to_string(args[0].as_int()));
}
Value timestamp_to_string(Context& context, std::span<const Value> args) {
  return context.string(print_timestamp(args[0]));
}
Value uint_to_string(Context& context, std::span<const Value> args) {
  return context.string(std::to_string(args[0].as_uint()));
}

Value int_to_timestamp(Context&, std::span<const Value> args) {
  const int64_t seconds = args[0].as_int();
  if (seconds < kMinSeconds || seconds > kMaxSeconds) return Value::error("timestamp overflow");
  return Value::timestamp(seconds, 0);
}
Value string_to_timestamp(Context& context, std::span<const Value> args) {
  const std::optional<Value> time = parse_timestamp(args[0].text());
  return time ? *time : failed(context, args[0], "google.protobuf.Timestamp");
}

Value double_to_uint(Context&, std::span<const Value> args) {
  const double number = args[0].as_double();
  if (!(number >= 0 && number < 18446744073709551616.0)) {
    return Value::error("unsigned integer overflow");
  }
  return Value::unsigned_integer(static_cast<uint64_t>(number));
}
Value int_to_uint(Context&, std::span<const Value> args) {
  if (args[0].as_int() < 0) return Value::error("unsigned integer overflow");
  return Value::unsigned_integer(static_cast<uint64_t>(args[0].as_int()));
}
Value string_to_uint(Context& context, std::span<const Value> args) {
  const std::optional<uint64_t> number = parse_uint(args[0].text());
  return number ? Value::unsigned_integer(*number) : failed(context, args[0], "uint");
}

constexpr FunctionRow kRows[] = {
    {"type", "type", "(A) -> type(A)", type_of_value, CallStyle::kOperator},
    {"bool", "bool_to_bool", "(bool) -> bool", same},
    {"bool", "string_to_bool", "(string) -> bool", string_to_bool},
    {"bytes", "bytes_to_bytes", "(bytes) -> bytes", same},
    {"bytes", "string_to_bytes", "(string) -> bytes", string_to_bytes},
    {"double", "double_to_double", "(double) -> double", same},
    {"double", "int64_to_double", "(int) -> double", int_to_double},
    {"double", "string_to_double", "(string) -> double", string_to_double},
    {"double", "uint64_to_double", "(uint) -> double", uint_to_double},
    {"duration", "duration_to_duration", "(duration) -> duration", same},
    {"duration", "int64_to_duration", "(int) -> duration", int_to_duration},
    {"duration", "string_to_duration", "(string) -> duration", string_to_duration},
    {"dyn", "to_dyn", "(A) -> dyn", same, CallStyle::kOperator},
    {"int", "int64_to_int64", "(int) -> int", same},
    {"int", "double_to_int64", "(double) -> int", double_to_int},
    {"int", "duration_to_int64", "(duration) -> int", duration_to_int},
    {"int", "string_to_int64", "(string) -> int", string_to_int},
    {"int", "timestamp_to_int64", "(timestamp) -> int", timestamp_to_int},
    {"int", "uint64_to_int64", "(uint) -> int", uint_to_int},
    {"string", "string_to_string", "(string) -> string", same},
    {"string", "bool_to_string", "(bool) -> string", bool_to_string},
    {"string", "bytes_to_string", "(bytes) -> string", bytes_to_string},
    {"string", "double_to_string", "(double) -> string", double_to_string},
    {"string", "duration_to_string", "(duration) -> string", duration_to_string},
    {"string", "int64_to_string", "(int) -> string", int_to_string},
    {"string", "timestamp_to_string", "(timestamp) -> string", timestamp_to_string},
    {"string", "uint64_to_string", "(uint) -> string", uint_to_string},
    {"timestamp", "timestamp_to_timestamp", "(timestamp) -> timestamp", same},
    {"timestamp", "int64_to_timestamp", "(int) -> timestamp", int_to_timestamp},
    {"timestamp", "string_to_timestamp", "(string) -> timestamp", string_to_timestamp},
    {"uint", "uint64_to_uint64", "(uint) -> uint", same},
    {"uint", "double_to_uint64", "(double) -> uint", double_to_uint},
    {"uint", "int64_to_uint64", "(int) -> uint", int_to_uint},
    {"uint", "string_to_uint64", "(string) -> uint", string_to_uint},
};

}  // namespace conversion_functions

std::span<const FunctionRow> conversion_rows() { return conversion_functions::kRows; }

}  // namespace proa::cel
