#include "cel/values/compare.h"

#include <cmath>
#include <limits>

#include "cel/values/collections.h"

namespace proa::cel {
namespace compare_values {

constexpr double kMaxInt = 9223372036854775807.0;
constexpr double kMaxUint = 18446744073709551615.0;

template <typename T>
int order(T a, T b) {
  return a < b ? -1 : (a > b ? 1 : 0);
}

int double_int(double a, int64_t b) {
  if (a < -kMaxInt) return -1;
  if (a > kMaxInt) return 1;
  return order(a, static_cast<double>(b));
}

int double_uint(double a, uint64_t b) {
  if (a < 0) return -1;
  if (a > kMaxUint) return 1;
  return order(a, static_cast<double>(b));
}

int int_uint(int64_t a, uint64_t b) {
  if (a < 0) return -1;
  return order(static_cast<uint64_t>(a), b);
}

bool is_number(const Value& value) {
  return value.is(ValueKind::kInt) || value.is(ValueKind::kUint) || value.is(ValueKind::kDouble);
}

bool is_nan(const Value& value) {
  return value.is(ValueKind::kDouble) && std::isnan(value.as_double());
}

// REQUIRES: numbers that are not NaN.
int numbers(const Value& a, const Value& b) {
  switch (a.kind()) {
    case ValueKind::kInt:
      if (b.is(ValueKind::kInt)) return order(a.as_int(), b.as_int());
      if (b.is(ValueKind::kUint)) return int_uint(a.as_int(), b.as_uint());
      return -double_int(b.as_double(), a.as_int());
    case ValueKind::kUint:
      if (b.is(ValueKind::kUint)) return order(a.as_uint(), b.as_uint());
      if (b.is(ValueKind::kInt)) return -int_uint(b.as_int(), a.as_uint());
      return -double_uint(b.as_double(), a.as_uint());
    default:
      if (b.is(ValueKind::kInt)) return double_int(a.as_double(), b.as_int());
      if (b.is(ValueKind::kUint)) return double_uint(a.as_double(), b.as_uint());
      return order(a.as_double(), b.as_double());
  }
}

// Values can share parts, so that a small one has more leaves than there is time for.
constexpr uint64_t kMostSteps = 10'000'000;

// Compares two values; beyond the bound they are not equal.
class Comparison {
 public:
  bool equal(const Value& a, const Value& b) {
    if (++steps_ > kMostSteps) return false;
    if (is_number(a) && is_number(b)) return !is_nan(a) && !is_nan(b) && numbers(a, b) == 0;
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
      case ValueKind::kNull:
        return true;
      case ValueKind::kBool:
        return a.as_bool() == b.as_bool();
      case ValueKind::kString:
      case ValueKind::kBytes:
        return a.text() == b.text();
      case ValueKind::kDuration:
        return a.nanoseconds() == b.nanoseconds();
      case ValueKind::kTimestamp:
        return a.seconds() == b.seconds() && a.fraction() == b.fraction();
      case ValueKind::kList:
        return lists(a, b);
      case ValueKind::kMap:
        return maps(a, b);
      // The parameters of types are not known at run time.
      case ValueKind::kType:
        return runtime_name(*a.as_type()) == runtime_name(*b.as_type());
      case ValueKind::kOptional:
        return optionals(a.as_optional(), b.as_optional());
      case ValueKind::kOpaque:
        return same_type(a.as_opaque()->type(), b.as_opaque()->type()) &&
               a.as_opaque()->equals(*b.as_opaque());
      default:
        return false;
    }
  }

 private:
  bool lists(const Value& a, const Value& b) {
    if (a.size() != b.size()) return false;
    for (uint32_t i = 0; i < a.size(); ++i) {
      if (!equal(list_item(a, i), list_item(b, i))) return false;
    }
    return true;
  }

  bool maps(const Value& a, const Value& b) {
    if (a.size() != b.size()) return false;
    for (uint32_t i = 0; i < a.size(); ++i) {
      const std::optional<Value> other = map_find(b, map_key(a, i));
      if (!other || !equal(map_value(a, i), *other)) return false;
    }
    return true;
  }

  bool optionals(const Value* a, const Value* b) {
    if (a == nullptr || b == nullptr) return a == b;
    return equal(*a, *b);
  }

  uint64_t steps_ = 0;
};

}  // namespace compare_values

bool equal(const Value& a, const Value& b) { return compare_values::Comparison().equal(a, b); }

Value compare(const Value& a, const Value& b) {
  using namespace compare_values;
  if (is_number(a) && is_number(b)) {
    if (is_nan(a) || is_nan(b)) return Value::error("NaN values cannot be ordered");
    return Value::integer(numbers(a, b));
  }
  if (a.kind() != b.kind()) return no_such_overload();
  switch (a.kind()) {
    case ValueKind::kBool:
      return Value::integer(order<int>(a.as_bool(), b.as_bool()));
    case ValueKind::kString:
    case ValueKind::kBytes:
      return Value::integer(order(a.text(), b.text()));
    case ValueKind::kDuration:
      return Value::integer(order(a.nanoseconds(), b.nanoseconds()));
    case ValueKind::kTimestamp:
      if (a.seconds() != b.seconds()) return Value::integer(order(a.seconds(), b.seconds()));
      return Value::integer(order(a.fraction(), b.fraction()));
    default:
      return no_such_overload();
  }
}

}  // namespace proa::cel
