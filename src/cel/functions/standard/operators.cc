#include "cel/functions/tables.h"
#include "cel/values/collections.h"
#include "cel/values/compare.h"
#include "cel/values/context.h"
#include "cel/values/time.h"
#include "cel/values/typed.h"

namespace proa::cel {
namespace operator_functions {

constexpr std::string_view kIntOverflow = "integer overflow";
constexpr std::string_view kUintOverflow = "unsigned integer overflow";
constexpr std::string_view kDurationOverflow = "duration overflow";
constexpr int64_t kSecond = 1'000'000'000;

// The error of an operand that does not have the operator at all. Values that have functions of
// their own in cel-go are asked for it, and say less.
Value lacks(Context& context, const Value& operand, std::string_view function) {
  switch (operand.kind()) {
    case ValueKind::kString:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
      return no_such_overload();
    default:
      return context.error("no such overload: " + std::string(function));
  }
}

Value concatenated(Context& context, const Value& a, const Value& b) {
  const std::string_view left = a.text();
  const std::string_view right = b.text();
  auto* place = static_cast<char*>(context.arena().allocate(left.size() + right.size(), 1));
  std::copy(left.begin(), left.end(), place);
  std::copy(right.begin(), right.end(), place + left.size());
  const std::string_view text(place, left.size() + right.size());
  return a.is(ValueKind::kString) ? Value::string(text) : Value::bytes(text);
}

Value shifted(const Value& timestamp, int64_t nanoseconds) {
  int64_t seconds = 0;
  if (__builtin_add_overflow(timestamp.seconds(), nanoseconds / kSecond, &seconds)) {
    return Value::error(kIntOverflow);
  }
  int64_t fraction = timestamp.fraction() + nanoseconds % kSecond;
  if (fraction < 0) {
    fraction += kSecond;
    --seconds;
  } else if (fraction >= kSecond) {
    fraction -= kSecond;
    ++seconds;
  }
  if (seconds < kMinSeconds || seconds > kMaxSeconds) return Value::error("timestamp overflow");
  return Value::timestamp(seconds, static_cast<uint32_t>(fraction));
}

Value add(Context& context, std::span<const Value> args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.is(ValueKind::kDuration) && b.is(ValueKind::kTimestamp)) return shifted(b, a.nanoseconds());
  if (a.is(ValueKind::kTimestamp) && b.is(ValueKind::kDuration)) return shifted(a, b.nanoseconds());
  switch (a.kind()) {
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kDuration:
    case ValueKind::kList:
      break;
    case ValueKind::kTimestamp:
      return no_such_overload();
    default:
      return lacks(context, a, "_+_");
  }
  if (a.kind() != b.kind()) return no_such_overload();
  int64_t sum = 0;
  uint64_t unsigned_sum = 0;
  switch (a.kind()) {
    case ValueKind::kInt:
      if (__builtin_add_overflow(a.as_int(), b.as_int(), &sum)) return Value::error(kIntOverflow);
      return Value::integer(sum);
    case ValueKind::kUint:
      if (__builtin_add_overflow(a.as_uint(), b.as_uint(), &unsigned_sum)) {
        return Value::error(kUintOverflow);
      }
      return Value::unsigned_integer(unsigned_sum);
    case ValueKind::kDouble:
      return Value::number(a.as_double() + b.as_double());
    case ValueKind::kDuration:
      if (__builtin_add_overflow(a.nanoseconds(), b.nanoseconds(), &sum)) {
        return Value::error(kDurationOverflow);
      }
      return Value::duration(sum);
    case ValueKind::kList:
      return concatenate(context.arena(), a, b);
    default:
      return concatenated(context, a, b);
  }
}

// Upstream speaks of integers here.
Value difference(const Value& a, const Value& b) {
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  const int64_t fraction = static_cast<int64_t>(a.fraction()) - b.fraction();
  if (__builtin_sub_overflow(a.seconds(), b.seconds(), &seconds) ||
      __builtin_mul_overflow(seconds, kSecond, &nanoseconds) ||
      __builtin_add_overflow(nanoseconds, fraction, &nanoseconds)) {
    return Value::error(kIntOverflow);
  }
  return Value::duration(nanoseconds);
}

Value subtract(Context& context, std::span<const Value> args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.is(ValueKind::kTimestamp)) {
    if (b.is(ValueKind::kTimestamp)) return difference(a, b);
    if (!b.is(ValueKind::kDuration)) return no_such_overload();
    int64_t negated = 0;
    if (__builtin_sub_overflow(int64_t{0}, b.nanoseconds(), &negated)) {
      return Value::error(kDurationOverflow);
    }
    return shifted(a, negated);
  }
  int64_t result = 0;
  uint64_t unsigned_result = 0;
  switch (a.kind()) {
    case ValueKind::kInt:
      if (!b.is(ValueKind::kInt)) return no_such_overload();
      if (__builtin_sub_overflow(a.as_int(), b.as_int(), &result)) {
        return Value::error(kIntOverflow);
      }
      return Value::integer(result);
    case ValueKind::kUint:
      if (!b.is(ValueKind::kUint)) return no_such_overload();
      if (__builtin_sub_overflow(a.as_uint(), b.as_uint(), &unsigned_result)) {
        return Value::error(kUintOverflow);
      }
      return Value::unsigned_integer(unsigned_result);
    case ValueKind::kDouble:
      if (!b.is(ValueKind::kDouble)) return no_such_overload();
      return Value::number(a.as_double() - b.as_double());
    case ValueKind::kDuration:
      if (!b.is(ValueKind::kDuration)) return no_such_overload();
      if (__builtin_sub_overflow(a.nanoseconds(), b.nanoseconds(), &result)) {
        return Value::error(kDurationOverflow);
      }
      return Value::duration(result);
    default:
      return lacks(context, a, "_-_");
  }
}

Value multiply(Context& context, std::span<const Value> args) {
  const Value& a = args[0];
  const Value& b = args[1];
  int64_t result = 0;
  uint64_t unsigned_result = 0;
  switch (a.kind()) {
    case ValueKind::kInt:
      if (!b.is(ValueKind::kInt)) return no_such_overload();
      if (__builtin_mul_overflow(a.as_int(), b.as_int(), &result)) {
        return Value::error(kIntOverflow);
      }
      return Value::integer(result);
    case ValueKind::kUint:
      if (!b.is(ValueKind::kUint)) return no_such_overload();
      if (__builtin_mul_overflow(a.as_uint(), b.as_uint(), &unsigned_result)) {
        return Value::error(kUintOverflow);
      }
      return Value::unsigned_integer(unsigned_result);
    case ValueKind::kDouble:
      if (!b.is(ValueKind::kDouble)) return no_such_overload();
      return Value::number(a.as_double() * b.as_double());
    default:
      return lacks(context, a, "_*_");
  }
}

constexpr bool is_least(int64_t number) { return number == INT64_MIN; }

Value divide(Context& context, std::span<const Value> args) {
  const Value& a = args[0];
  const Value& b = args[1];
  constexpr std::string_view kByZero = "division by zero";
  switch (a.kind()) {
    case ValueKind::kInt:
      if (!b.is(ValueKind::kInt)) return no_such_overload();
      if (b.as_int() == 0) return Value::error(kByZero);
      if (is_least(a.as_int()) && b.as_int() == -1) return Value::error(kIntOverflow);
      return Value::integer(a.as_int() / b.as_int());
    case ValueKind::kUint:
      if (!b.is(ValueKind::kUint)) return no_such_overload();
      if (b.as_uint() == 0) return Value::error(kByZero);
      return Value::unsigned_integer(a.as_uint() / b.as_uint());
    case ValueKind::kDouble:
      if (!b.is(ValueKind::kDouble)) return no_such_overload();
      return Value::number(a.as_double() / b.as_double());
    default:
      return lacks(context, a, "_/_");
  }
}

Value modulo(Context& context, std::span<const Value> args) {
  const Value& a = args[0];
  const Value& b = args[1];
  constexpr std::string_view kByZero = "modulus by zero";
  switch (a.kind()) {
    case ValueKind::kInt:
      if (!b.is(ValueKind::kInt)) return no_such_overload();
      if (b.as_int() == 0) return Value::error(kByZero);
      if (is_least(a.as_int()) && b.as_int() == -1) return Value::error(kIntOverflow);
      return Value::integer(a.as_int() % b.as_int());
    case ValueKind::kUint:
      if (!b.is(ValueKind::kUint)) return no_such_overload();
      if (b.as_uint() == 0) return Value::error(kByZero);
      return Value::unsigned_integer(a.as_uint() % b.as_uint());
    default:
      return lacks(context, a, "_%_");
  }
}

Value negate(Context& context, std::span<const Value> args) {
  const Value& a = args[0];
  switch (a.kind()) {
    case ValueKind::kInt:
      if (is_least(a.as_int())) return Value::error(kIntOverflow);
      return Value::integer(-a.as_int());
    case ValueKind::kDouble:
      return Value::number(-a.as_double());
    case ValueKind::kDuration:
      if (is_least(a.nanoseconds())) return Value::error(kDurationOverflow);
      return Value::duration(-a.nanoseconds());
    case ValueKind::kBool:
      return no_such_overload();
    default:
      return lacks(context, a, "-_");
  }
}

Value logical_not(Context&, std::span<const Value> args) {
  return args[0].is(ValueKind::kBool) ? Value::boolean(!args[0].as_bool()) : no_such_overload();
}

// The elements are asked, not the value; an error counts if nothing else is equal.
Value contained_in_typed(const Value& value, const Value& list) {
  Value error = Value::boolean(false);
  for (uint32_t i = 0; i < list.size(); ++i) {
    const Value result = element_equality(list_item(list, i), value);
    if (result.is_true()) return result;
    if (result.is_error() && !error.is_error()) error = result;
  }
  return error;
}

Value contained(Context&, std::span<const Value> args) {
  const Value& set = args[1];
  if (set.is(ValueKind::kMap)) {
    const std::optional<Value> found = map_find(set, args[0]);
    return found && found->is_error() ? *found : Value::boolean(found.has_value());
  }
  if (!set.is(ValueKind::kList)) return no_such_overload();
  if (list_shape(set) != nullptr) return contained_in_typed(args[0], set);
  for (uint32_t i = 0; i < set.size(); ++i) {
    if (equal(args[0], list_item(set, i))) return Value::boolean(true);
  }
  return Value::boolean(false);
}

constexpr CallStyle kOperator = CallStyle::kOperator;

constexpr FunctionRow kRows[] = {
    {"_?_:_", "conditional", "(bool, A, A) -> A"},
    {"_&&_", "logical_and", "(bool, bool) -> bool"},
    {"_||_", "logical_or", "(bool, bool) -> bool"},
    {"!_", "logical_not", "(bool) -> bool", logical_not, kOperator},
    {"@not_strictly_false", "not_strictly_false", "(bool) -> bool"},
    {"_==_", "equals", "(A, A) -> bool"},
    {"_!=_", "not_equals", "(A, A) -> bool"},
    {"_+_", "add_bytes", "(bytes, bytes) -> bytes", add, kOperator},
    {"_+_", "add_double", "(double, double) -> double", add, kOperator},
    {"_+_", "add_duration_duration", "(duration, duration) -> duration", add, kOperator},
    {"_+_", "add_duration_timestamp", "(duration, timestamp) -> timestamp", add, kOperator},
    {"_+_", "add_timestamp_duration", "(timestamp, duration) -> timestamp", add, kOperator},
    {"_+_", "add_int64", "(int, int) -> int", add, kOperator},
    {"_+_", "add_list", "(list(A), list(A)) -> list(A)", add, kOperator},
    {"_+_", "add_string", "(string, string) -> string", add, kOperator},
    {"_+_", "add_uint64", "(uint, uint) -> uint", add, kOperator},
    {"_/_", "divide_double", "(double, double) -> double", divide, kOperator},
    {"_/_", "divide_int64", "(int, int) -> int", divide, kOperator},
    {"_/_", "divide_uint64", "(uint, uint) -> uint", divide, kOperator},
    {"_%_", "modulo_int64", "(int, int) -> int", modulo, kOperator},
    {"_%_", "modulo_uint64", "(uint, uint) -> uint", modulo, kOperator},
    {"_*_", "multiply_double", "(double, double) -> double", multiply, kOperator},
    {"_*_", "multiply_int64", "(int, int) -> int", multiply, kOperator},
    {"_*_", "multiply_uint64", "(uint, uint) -> uint", multiply, kOperator},
    {"-_", "negate_double", "(double) -> double", negate, kOperator},
    {"-_", "negate_int64", "(int) -> int", negate, kOperator},
    {"_-_", "subtract_double", "(double, double) -> double", subtract, kOperator},
    {"_-_", "subtract_duration_duration", "(duration, duration) -> duration", subtract, kOperator},
    {"_-_", "subtract_int64", "(int, int) -> int", subtract, kOperator},
    {"_-_", "subtract_timestamp_duration", "(timestamp, duration) -> timestamp", subtract,
     kOperator},
    {"_-_", "subtract_timestamp_timestamp", "(timestamp, timestamp) -> duration", subtract,
     kOperator},
    {"_-_", "subtract_uint64", "(uint, uint) -> uint", subtract, kOperator},
    {"_[_]", "index_list", "(list(A), int) -> A"},
    {"_[_]", "index_map", "(map(A, B), A) -> B"},
    {"@in", "in_list", "(A, list(A)) -> bool", contained, kOperator},
    {"@in", "in_map", "(A, map(A, B)) -> bool", contained, kOperator},
};

}  // namespace operator_functions

std::span<const FunctionRow> operator_rows() { return operator_functions::kRows; }

}  // namespace proa::cel
