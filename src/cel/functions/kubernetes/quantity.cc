#include "api/quantity.h"

#include "cel/functions/tables.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace kubernetes_quantity {

// A quantity is the text that was read or printed: an object in the arena owns nothing.
class QuantityValue final : public Opaque {
 public:
  explicit QuantityValue(std::string_view text) : Opaque(kQuantityType), text_(text) {}
  api::Quantity quantity() const { return *api::Quantity::parse(text_); }
  bool equals(const Opaque& other) const override {
    return quantity() == static_cast<const QuantityValue&>(other).quantity();
  }
  std::string print() const override { return quantity().str(); }

 private:
  std::string_view text_;
};

api::Quantity get(const Value& value) {
  return static_cast<const QuantityValue*>(value.as_opaque())->quantity();
}

Value make(Context& context, const api::Quantity& quantity) {
  return context.opaque<QuantityValue>(context.arena().copy(quantity.str()));
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
bool is_whole(const api::Quantity& quantity) { return quantity == api::Quantity(quantity.value()); }
Value is_integer(Context&, std::span<const Value> args) {
  return Value::boolean(is_whole(get(args[0])));
}
Value as_integer(Context&, std::span<const Value> args) {
  const api::Quantity quantity = get(args[0]);
  if (!is_whole(quantity)) return Value::error("cannot convert value to integer");
  return Value::integer(quantity.value());
}
Value add(Context& context, std::span<const Value> args) {
  return make(context, get(args[0]) + get(args[1]));
}
Value add_int(Context& context, std::span<const Value> args) {
  return make(context, get(args[0]) + api::Quantity(args[1].as_int()));
}
Value subtract(Context& context, std::span<const Value> args) {
  return make(context, get(args[0]) - get(args[1]));
}
Value subtract_int(Context& context, std::span<const Value> args) {
  return make(context, get(args[0]) - api::Quantity(args[1].as_int()));
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

std::span<const FunctionRow> kubernetes_quantity_rows() { return kubernetes_quantity::kRows; }

}  // namespace proa::cel
