#include "cel/functions/tables.h"
#include "cel/values/collections.h"
#include "cel/values/compare.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace kubernetes_lists {

bool has_order(const Value& value) {
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

// Items of other types are only found where they are reached.
Value is_sorted(Context&, std::span<const Value> args) {
  for (uint32_t i = 0; i < args[0].size(); ++i) {
    const Value next = list_item(args[0], i);
    if (next.is_error()) return next;
    if (!has_order(next)) return no_such_overload();
    if (i == 0) continue;
    const Value order = compare(list_item(args[0], i - 1), next);
    if (!order.is_error() && order.as_int() > 0) return Value::boolean(false);
  }
  return Value::boolean(true);
}

// The element that no other one is on the `wanted` side of.
Value extreme(Context& context, const Value& list, int64_t wanted, std::string_view name) {
  if (list.size() == 0) return context.error(std::string(name) + " called on empty list");
  Value best = list_item(list, 0);
  for (uint32_t i = 1; i < list.size(); ++i) {
    const Value next = list_item(list, i);
    if (next.is_error()) return next;
    if (!has_order(next)) return no_such_overload();
    const Value order = compare(best, next);
    if (!order.is_error() && order.as_int() == wanted) best = next;
  }
  return best;
}
Value least(Context& context, std::span<const Value> args) {
  return extreme(context, args[0], 1, "min");
}
Value greatest(Context& context, std::span<const Value> args) {
  return extreme(context, args[0], -1, "max");
}

Value sum_from(Context& context, const Value& list, Value total) {
  const Implementation add = operator_rows()[7].implementation;
  for (uint32_t i = 0; i < list.size(); ++i) {
    const Value both[] = {total, list_item(list, i)};
    total = add(context, std::span<const Value>(both));
    // An error cannot be added to: upstream ends with another one.
    if (total.is_error()) return total;
  }
  return total;
}
Value sum_int(Context& context, std::span<const Value> args) {
  return sum_from(context, args[0], Value::integer(0));
}
Value sum_uint(Context& context, std::span<const Value> args) {
  return sum_from(context, args[0], Value::unsigned_integer(0));
}
Value sum_double(Context& context, std::span<const Value> args) {
  return sum_from(context, args[0], Value::number(0));
}
Value sum_duration(Context& context, std::span<const Value> args) {
  return sum_from(context, args[0], Value::duration(0));
}

Value index_of(Context&, std::span<const Value> args) {
  for (uint32_t i = 0; i < args[0].size(); ++i) {
    if (equal(list_item(args[0], i), args[1])) return Value::integer(static_cast<int64_t>(i));
  }
  return Value::integer(-1);
}
Value last_index_of(Context&, std::span<const Value> args) {
  for (uint32_t i = args[0].size(); i > 0; --i) {
    if (equal(list_item(args[0], i - 1), args[1])) {
      return Value::integer(static_cast<int64_t>(i) - 1);
    }
  }
  return Value::integer(-1);
}

#define PROA_CEL_ORDERED(type)                                                          \
  {"isSorted", "list_" type "_is_sorted_bool", "list(" type ").() -> bool", is_sorted}, \
      {"max", "list_" type "_max_" type, "list(" type ").() -> " type, greatest}, {     \
    "min", "list_" type "_min_" type, "list(" type ").() -> " type, least               \
  }

constexpr FunctionRow kRows[] = {
    PROA_CEL_ORDERED("int"),
    PROA_CEL_ORDERED("uint"),
    PROA_CEL_ORDERED("double"),
    PROA_CEL_ORDERED("bool"),
    PROA_CEL_ORDERED("duration"),
    PROA_CEL_ORDERED("timestamp"),
    PROA_CEL_ORDERED("string"),
    PROA_CEL_ORDERED("bytes"),
    {"sum", "list_int_sum_int", "list(int).() -> int", sum_int},
    {"sum", "list_uint_sum_uint", "list(uint).() -> uint", sum_uint},
    {"sum", "list_double_sum_double", "list(double).() -> double", sum_double},
    {"sum", "list_duration_sum_duration", "list(duration).() -> duration", sum_duration},
    {"indexOf", "list_a_index_of_int", "list(A).(A) -> int", index_of},
    {"lastIndexOf", "list_a_last_index_of_int", "list(A).(A) -> int", last_index_of},
};

}  // namespace kubernetes_lists

std::span<const FunctionRow> kubernetes_list_rows() { return kubernetes_lists::kRows; }

}  // namespace proa::cel
