#include "cel/functions/tables.h"
#include "cel/values/compare.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace comparison_functions {

bool is_ordered(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kDuration:
    case ValueKind::kTimestamp:
      return true;
    default:
      return false;
  }
}

template <typename Test>
Value ordered(Context& context, std::span<const Value> args, std::string_view name, Test test) {
  if (!is_ordered(args[0])) return context.error("no such overload: " + std::string(name));
  const Value order = compare(args[0], args[1]);
  return order.is_error() ? order : Value::boolean(test(order.as_int()));
}

Value less(Context& context, std::span<const Value> args) {
  return ordered(context, args, "_<_", [](int64_t order) { return order < 0; });
}
Value less_equals(Context& context, std::span<const Value> args) {
  return ordered(context, args, "_<=_", [](int64_t order) { return order <= 0; });
}
Value greater(Context& context, std::span<const Value> args) {
  return ordered(context, args, "_>_", [](int64_t order) { return order > 0; });
}
Value greater_equals(Context& context, std::span<const Value> args) {
  return ordered(context, args, "_>=_", [](int64_t order) { return order >= 0; });
}

// One line for each of the fourteen pairs of types that have an order.
#define PROA_CEL_PAIR(symbol, name, pair, types) \
  { symbol, #name "_" pair, "(" types ") -> bool", name, CallStyle::kOperator }
#define PROA_CEL_COMPARISON(symbol, name)                               \
  PROA_CEL_PAIR(symbol, name, "bool", "bool, bool"),                    \
      PROA_CEL_PAIR(symbol, name, "int64", "int, int"),                 \
      PROA_CEL_PAIR(symbol, name, "int64_double", "int, double"),       \
      PROA_CEL_PAIR(symbol, name, "int64_uint64", "int, uint"),         \
      PROA_CEL_PAIR(symbol, name, "uint64", "uint, uint"),              \
      PROA_CEL_PAIR(symbol, name, "uint64_double", "uint, double"),     \
      PROA_CEL_PAIR(symbol, name, "uint64_int64", "uint, int"),         \
      PROA_CEL_PAIR(symbol, name, "double", "double, double"),          \
      PROA_CEL_PAIR(symbol, name, "double_int64", "double, int"),       \
      PROA_CEL_PAIR(symbol, name, "double_uint64", "double, uint"),     \
      PROA_CEL_PAIR(symbol, name, "string", "string, string"),          \
      PROA_CEL_PAIR(symbol, name, "bytes", "bytes, bytes"),             \
      PROA_CEL_PAIR(symbol, name, "timestamp", "timestamp, timestamp"), \
      PROA_CEL_PAIR(symbol, name, "duration", "duration, duration")

constexpr FunctionRow kRows[] = {
    PROA_CEL_COMPARISON("_<_", less),
    PROA_CEL_COMPARISON("_<=_", less_equals),
    PROA_CEL_COMPARISON("_>_", greater),
    PROA_CEL_COMPARISON("_>=_", greater_equals),
};

}  // namespace comparison_functions

std::span<const FunctionRow> comparison_rows() { return comparison_functions::kRows; }

}  // namespace proa::cel
