#include "cel/values/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cel/values/collections.h"
#include "cel/values/structure.h"
#include "cel/values/typed.h"

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

// Compares two values; beyond the bound they are different.
class Comparison {
 public:
  Value equal(const Value& a, const Value& b) {
    if (a.is(ValueKind::kNull) || b.is(ValueKind::kNull)) return when(a.kind() == b.kind());
    return element(a, b);
  }

  Value element(const Value& a, const Value& b) {
    if (++steps_ > kMostSteps) return when(false);
    if (a.is_error()) return a;
    // As upstream: only lists and maps of a schema look at what they are compared with.
    if (b.is_error()) return is_shaped(a) ? b : when(false);
    if (is_number(a) && is_number(b)) {
      return when(!is_nan(a) && !is_nan(b) && numbers(a, b) == 0);
    }
    if (a.is(ValueKind::kOpaque)) return opaques(*a.as_opaque(), b);
    if (a.kind() != b.kind()) return is_shaped(a) ? no_such_overload() : when(false);
    switch (a.kind()) {
      case ValueKind::kList:
        return is_shaped(a) ? shaped_lists(a, b) : lists(a, b);
      case ValueKind::kMap:
        return a.is_typed() ? typed_maps(a, b) : maps(a, b);
      case ValueKind::kOptional:
        return optionals(a.as_optional(), b.as_optional());
      default:
        return when(scalars(a, b));
    }
  }

 private:
  static Value when(bool equal) { return Value::boolean(equal); }

  static bool is_shaped(const Value& value) {
    return value.is_typed() || (value.is(ValueKind::kList) && list_shape(value) != nullptr);
  }

  // REQUIRES: the same kind.
  static bool scalars(const Value& a, const Value& b) {
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
      // The parameters of types are not known at run time.
      case ValueKind::kType:
        return runtime_name(*a.as_type()) == runtime_name(*b.as_type());
      default:
        return false;
    }
  }

  Value opaques(const Opaque& a, const Value& b) {
    if (!a.comparable() || !b.is(ValueKind::kOpaque) ||
        !same_type(a.type(), b.as_opaque()->type())) {
      return no_such_overload();
    }
    if (a.type().is(TypeKind::kStruct)) {
      return when(structures(static_cast<const Structure&>(a),
                             static_cast<const Structure&>(*b.as_opaque())));
    }
    return when(a.equals(*b.as_opaque()));
  }

  // By this comparison, which counts the steps: they share parts, too.
  bool structures(const Structure& a, const Structure& b) {
    if (a.type().name != b.type().name || a.fields().size() != b.fields().size()) return false;
    return std::ranges::all_of(a.fields(), [&](const Structure::Field& field) {
      const std::optional<Value> found = b.member(field.name);
      return found && equal(field.value, *found).is_true();
    });
  }

  // cel-go's lists and maps are equal if nothing in them is different: errors do not count.
  Value lists(const Value& a, const Value& b) {
    if (a.size() != b.size()) return when(false);
    for (uint32_t i = 0; i < a.size(); ++i) {
      if (equal(list_item(a, i), list_item(b, i)).is_false()) return when(false);
    }
    return when(true);
  }

  Value maps(const Value& a, const Value& b) {
    if (a.size() != b.size()) return when(false);
    for (uint32_t i = 0; i < a.size(); ++i) {
      const std::optional<Value> other = map_find(b, map_key(a, i));
      if (!other || equal(map_value(a, i), *other).is_false()) return when(false);
    }
    return when(true);
  }

  // Those of schemas pass errors on. Sets and maps have no order.
  Value shaped_lists(const Value& a, const Value& b) {
    if (a.size() != b.size()) return when(false);
    const ListKind kind = list_shape(a)->list;
    if (kind == ListKind::kSet) return when(is_subset(b, a));
    const std::vector<uint32_t> order =
        kind == ListKind::kMap ? positions_by_key(a, b) : std::vector<uint32_t>();
    for (uint32_t i = 0; i < a.size(); ++i) {
      if (kind == ListKind::kMap && order[i] == kNoPosition) return when(false);
      const uint32_t position = kind == ListKind::kMap ? order[i] : i;
      const Value result = element(list_item(a, position), list_item(b, i));
      if (!result.is_true()) return result;
    }
    return when(true);
  }

  Value typed_maps(const Value& a, const Value& b) {
    if (a.size() != b.size()) return when(false);
    const TypedNode& node = *a.as_typed();
    for (const json::Member& member : node.json->members()) {
      if (!is_known_member(*node.shape, member.key)) {
        if (!b.is_typed()) return no_such_overload();
        const json::Value* other = b.as_typed()->json->find(member.key);
        if (other != nullptr && !(member.value == *other)) return when(false);
        continue;
      }
      const Value key = Value::string(member.key);
      const std::optional<Value> mine = map_find(a, key);
      const std::optional<Value> other = map_find(b, key);
      if (mine.has_value() != other.has_value()) return when(false);
      if (!mine) continue;
      const Value result = element(*mine, *other);
      if (!result.is_true()) return result;
    }
    return when(true);
  }

  Value optionals(const Value* a, const Value* b) {
    if (a == nullptr || b == nullptr) return when(a == b);
    return element(*a, *b);
  }

  uint64_t steps_ = 0;
};

}  // namespace compare_values

Value equality(const Value& a, const Value& b) { return compare_values::Comparison().equal(a, b); }

Value element_equality(const Value& a, const Value& b) {
  return compare_values::Comparison().element(a, b);
}

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
