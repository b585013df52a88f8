#include "api/quantity.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "cel/functions/tables.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace kubernetes_quantity {

// How upstream holds a quantity that is small enough: only such a quantity can be an integer, and
// only if its scale is not negative, so that 1000m is none.
struct SmallAmount {
  int64_t value = 0;
  int scale = 0;  // a power of ten

  std::optional<int64_t> integer() const { return scale < 0 ? std::nullopt : scaled(value, scale); }

  // Nullopt if it becomes too large.
  static std::optional<int64_t> scaled(int64_t value, int scale) {
    for (; scale > 0 && value != 0; --scale) {
      if (__builtin_mul_overflow(value, 10, &value)) return std::nullopt;
    }
    return value;
  }

  std::optional<SmallAmount> plus(const SmallAmount& other) const {
    if (other.value == 0) return *this;
    if (value == 0) return other;
    const int lower = std::min(scale, other.scale);
    const std::optional<int64_t> a = scaled(value, scale - lower);
    const std::optional<int64_t> b = scaled(other.value, other.scale - lower);
    int64_t sum = 0;
    if (!a || !b || __builtin_add_overflow(*a, *b, &sum)) return std::nullopt;
    return SmallAmount{.value = sum, .scale = lower};
  }
};

struct Suffix {
  std::string_view text;
  int exponent;
};
constexpr Suffix kDecimal[] = {{"n", -9}, {"u", -6}, {"m", -3}, {"", 0},   {"k", 3},
                               {"M", 6},  {"G", 9},  {"T", 12}, {"P", 15}, {"E", 18}};
constexpr Suffix kBinary[] = {{"Ki", 10}, {"Mi", 20}, {"Gi", 30},
                              {"Ti", 40}, {"Pi", 50}, {"Ei", 60}};

std::optional<int> exponent_of(std::string_view suffix, std::span<const Suffix> known) {
  for (const Suffix& candidate : known) {
    if (candidate.text == suffix) return candidate.exponent;
  }
  return std::nullopt;
}

std::string_view take_digits(std::string_view& text) {
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

// Nullopt where resource.ParseQuantity leaves its fast path. REQUIRES: a valid quantity.
std::optional<SmallAmount> small_amount(std::string_view text) {
  constexpr int kMostDigits = 18;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  std::string digits(take_digits(text));
  if (digits.empty()) digits = "0";
  const auto whole = static_cast<int>(digits.size());
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += take_digits(text);
  }
  const int fraction = static_cast<int>(digits.size()) - whole;
  if (digits.size() > kMostDigits) return std::nullopt;
  SmallAmount amount{.value = *parse_int(digits)};
  if (const std::optional<int> binary = exponent_of(text, kBinary)) {
    const int precision = 15 - whole - *binary * 3 / 10 - 1;
    if (fraction > 0 || precision < 0 ||
        __builtin_mul_overflow(amount.value, int64_t{1} << *binary, &amount.value)) {
      return std::nullopt;
    }
  } else {
    std::optional<int64_t> exponent = exponent_of(text, kDecimal);
    // An exponent: e3, E+3. One letter alone is a suffix.
    if (!exponent && text.size() > 1) exponent = parse_int(text.substr(text[1] == '+' ? 2 : 1));
    if (!exponent || *exponent - fraction < -9 || *exponent > kMostDigits) {
      return std::nullopt;
    }
    amount.scale = static_cast<int>(*exponent) - fraction;
  }
  if (negative) amount.value = -amount.value;
  return amount;
}

// A quantity is the text that was read or printed: an object in the arena owns nothing.
class QuantityValue final : public Opaque {
 public:
  // As it was written.
  explicit QuantityValue(std::string_view text)
      : Opaque(kQuantityType), text_(text), written_(true) {}
  // The result of an addition.
  QuantityValue(std::string_view text, const std::optional<SmallAmount>& small)
      : Opaque(kQuantityType), text_(text), small_(small) {}

  api::Quantity quantity() const { return *api::Quantity::parse(text_); }
  std::optional<SmallAmount> small() const { return written_ ? small_amount(text_) : small_; }
  bool equals(const Opaque& other) const override {
    return quantity() == static_cast<const QuantityValue&>(other).quantity();
  }
  std::string print() const override { return quantity().str(); }

 private:
  std::string_view text_;
  bool written_ = false;
  std::optional<SmallAmount> small_;
};

const QuantityValue& object(const Value& value) {
  return *static_cast<const QuantityValue*>(value.as_opaque());
}
api::Quantity get(const Value& value) { return object(value).quantity(); }

std::optional<SmallAmount> sum(const std::optional<SmallAmount>& a,
                               const std::optional<SmallAmount>& b) {
  return a && b ? a->plus(*b) : std::nullopt;
}
std::optional<SmallAmount> negated(std::optional<SmallAmount> amount) {
  if (amount) amount->value = -amount->value;
  return amount;
}
// Upstream negates the least integer to itself.
std::optional<SmallAmount> negated(int64_t number) {
  return SmallAmount{.value = static_cast<int64_t>(-static_cast<uint64_t>(number))};
}

Value make(Context& context, const api::Quantity& quantity,
           const std::optional<SmallAmount>& small) {
  return context.opaque<QuantityValue>(context.arena().copy(quantity.str()), small);
}

Value parse(Context& context, std::span<const Value> args) {
  const Result<api::Quantity> quantity = api::Quantity::parse(args[0].text());
  if (!quantity.ok()) return context.error(quantity.status().message());
  return context.opaque<QuantityValue>(args[0].text());
}
Value is_quantity(Context&, std::span<const Value> args) {
  return Value::boolean(api::Quantity::parse(args[0].text()).ok());
}
Value sign(Context&, std::span<const Value> args) { return Value::integer(get(args[0]).sign()); }
Value is_greater(Context&, std::span<const Value> args) {
  return Value::boolean(get(args[0]) > get(args[1]));
}
Value is_less(Context&, std::span<const Value> args) {
  return Value::boolean(get(args[0]) < get(args[1]));
}
Value compare_to(Context&, std::span<const Value> args) {
  const auto order = get(args[0]) <=> get(args[1]);
  return Value::integer(order < 0 ? -1 : (order > 0 ? 1 : 0));
}
Value approximate(Context&, std::span<const Value> args) {
  return Value::number(get(args[0]).approximate());
}
std::optional<int64_t> integer(const Value& value) {
  const std::optional<SmallAmount> small = object(value).small();
  return small ? small->integer() : std::nullopt;
}
Value is_integer(Context&, std::span<const Value> args) {
  return Value::boolean(integer(args[0]).has_value());
}
Value as_integer(Context&, std::span<const Value> args) {
  const std::optional<int64_t> number = integer(args[0]);
  return number ? Value::integer(*number) : Value::error("cannot convert value to integer");
}
Value add(Context& context, std::span<const Value> args) {
  return make(context, get(args[0]) + get(args[1]),
              sum(object(args[0]).small(), object(args[1]).small()));
}
Value add_int(Context& context, std::span<const Value> args) {
  const int64_t number = args[1].as_int();
  return make(context, get(args[0]) + api::Quantity(number),
              sum(object(args[0]).small(), SmallAmount{.value = number}));
}
Value subtract(Context& context, std::span<const Value> args) {
  return make(context, get(args[0]) - get(args[1]),
              sum(object(args[0]).small(), negated(object(args[1]).small())));
}
Value subtract_int(Context& context, std::span<const Value> args) {
  const int64_t number = args[1].as_int();
  return make(context, get(args[0]) - api::Quantity(number),
              sum(object(args[0]).small(), negated(number)));
}

#define PROA_CEL_QUANTITY "kubernetes.Quantity"

constexpr FunctionRow kRows[] = {
    {"quantity", "string_to_quantity", "(string) -> " PROA_CEL_QUANTITY, parse},
    {"isQuantity", "is_quantity_string", "(string) -> bool", is_quantity},
    {"sign", "quantity_sign", "(" PROA_CEL_QUANTITY ") -> int", sign},
    {"isGreaterThan", "quantity_is_greater_than",
     PROA_CEL_QUANTITY ".(" PROA_CEL_QUANTITY ") -> bool", is_greater},
    {"isLessThan", "quantity_is_less_than", PROA_CEL_QUANTITY ".(" PROA_CEL_QUANTITY ") -> bool",
     is_less},
    {"compareTo", "quantity_compare_to", PROA_CEL_QUANTITY ".(" PROA_CEL_QUANTITY ") -> int",
     compare_to},
    {"asApproximateFloat", "quantity_get_float", PROA_CEL_QUANTITY ".() -> double", approximate},
    {"asInteger", "quantity_get_int", PROA_CEL_QUANTITY ".() -> int", as_integer},
    {"isInteger", "quantity_is_integer", PROA_CEL_QUANTITY ".() -> bool", is_integer},
    {"add", "quantity_add", PROA_CEL_QUANTITY ".(" PROA_CEL_QUANTITY ") -> " PROA_CEL_QUANTITY,
     add},
    {"add", "quantity_add_int", PROA_CEL_QUANTITY ".(int) -> " PROA_CEL_QUANTITY, add_int},
    {"sub", "quantity_sub", PROA_CEL_QUANTITY ".(" PROA_CEL_QUANTITY ") -> " PROA_CEL_QUANTITY,
     subtract},
    {"sub", "quantity_sub_int", PROA_CEL_QUANTITY ".(int) -> " PROA_CEL_QUANTITY, subtract_int},
};

}  // namespace kubernetes_quantity

Value make_quantity(Context& context, std::string_view text) {
  const Value copy = context.string(text);
  return kubernetes_quantity::parse(context, {&copy, 1});
}

std::span<const FunctionRow> kubernetes_quantity_rows() { return kubernetes_quantity::kRows; }

}  // namespace proa::cel
