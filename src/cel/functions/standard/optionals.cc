#include "cel/functions/tables.h"
#include "cel/values/collections.h"
#include "cel/values/context.h"
#include "cel/values/print.h"

namespace proa::cel {
namespace optional_functions {

bool is_zero(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull:
      return true;
    case ValueKind::kBool:
      return !value.as_bool();
    case ValueKind::kInt:
    case ValueKind::kUint:
      return value.as_int() == 0;
    case ValueKind::kDouble:
      return value.as_double() == 0;
    case ValueKind::kString:
    case ValueKind::kBytes:
      return value.text().empty();
    case ValueKind::kDuration:
      return value.nanoseconds() == 0;
    // Go's zero time is the first second of the year 1.
    case ValueKind::kTimestamp:
      return value.seconds() == -62135596800 && value.fraction() == 0;
    case ValueKind::kList:
    case ValueKind::kMap:
      return value.size() == 0;
    default:
      return false;
  }
}

Value of(Context& context, std::span<const Value> args) {
  return make_optional(context.arena(), args[0]);
}
Value of_non_zero(Context& context, std::span<const Value> args) {
  return is_zero(args[0]) ? Value::none() : make_optional(context.arena(), args[0]);
}
Value none(Context&, std::span<const Value>) { return Value::none(); }
Value value(Context&, std::span<const Value> args) {
  const Value* content = args[0].as_optional();
  return content == nullptr ? Value::error("optional.none() dereference") : *content;
}
Value has_value(Context&, std::span<const Value> args) {
  return Value::boolean(args[0].as_optional() != nullptr);
}
Value first(Context& context, std::span<const Value> args) {
  if (args[0].size() == 0) return Value::none();
  return make_optional(context.arena(), list_item(args[0], 0));
}
Value last(Context& context, std::span<const Value> args) {
  if (args[0].size() == 0) return Value::none();
  return make_optional(context.arena(), list_item(args[0], args[0].size() - 1));
}
Value unwrap(Context& context, std::span<const Value> args) {
  Value list = make_list(context.arena(), {});
  for (uint32_t i = 0; i < args[0].size(); ++i) {
    const Value item = list_item(args[0], i);
    if (!item.is(ValueKind::kOptional)) {
      return context.error("value " + print_plain(item) + " is not optional");
    }
    if (item.as_optional() == nullptr) continue;
    list = concatenate(context.arena(), list,
                       make_list(context.arena(), std::span(item.as_optional(), 1)));
  }
  return list;
}

constexpr FunctionRow kRows[] = {
    {"optional.of", "optional_of", "(A) -> optional_type(A)", of},
    {"optional.ofNonZeroValue", "optional_ofNonZeroValue", "(A) -> optional_type(A)", of_non_zero},
    {"optional.none", "optional_none", "() -> optional_type(A)", none},
    {"value", "optional_value", "optional_type(A).() -> A", value},
    {"hasValue", "optional_hasValue", "optional_type(A).() -> bool", has_value},
    {"or", "optional_or_optional", "optional_type(A).(optional_type(A)) -> optional_type(A)"},
    {"orValue", "optional_orValue_value", "optional_type(A).(A) -> A"},
    {"_?._", "select_optional_field", "(dyn, string) -> optional_type(A)"},
    {"_[?_]", "list_optindex_optional_int", "(list(A), int) -> optional_type(A)"},
    {"_[?_]", "optional_list_optindex_optional_int",
     "(optional_type(list(A)), int) -> optional_type(A)"},
    {"_[?_]", "map_optindex_optional_value", "(map(A, B), A) -> optional_type(B)"},
    {"_[?_]", "optional_map_optindex_optional_value",
     "(optional_type(map(A, B)), A) -> optional_type(B)"},
    {"_[_]", "optional_list_index_int", "(optional_type(list(A)), int) -> optional_type(A)"},
    {"_[_]", "optional_map_index_value", "(optional_type(map(A, B)), A) -> optional_type(B)"},
    {"last", "list_last", "list(A).() -> optional_type(A)", last},
    {"first", "list_first", "list(A).() -> optional_type(A)", first},
    {"optional.unwrap", "optional_unwrap", "(list(optional_type(A))) -> list(A)", unwrap},
    {"unwrapOpt", "optional_unwrapOpt", "list(optional_type(A)).() -> list(A)", unwrap},
};

}  // namespace optional_functions

std::span<const FunctionRow> optional_rows() { return optional_functions::kRows; }

}  // namespace proa::cel
