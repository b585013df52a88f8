#include <re2/re2.h>

#include "cel/functions/standard/regex.h"
#include "cel/functions/tables.h"
#include "cel/values/context.h"
#include "cel/values/text.h"

namespace proa::cel {
namespace string_functions {

bool are_strings(std::span<const Value> args) {
  return args[0].is(ValueKind::kString) && args[1].is(ValueKind::kString);
}

Value contains(Context&, std::span<const Value> args) {
  if (!are_strings(args)) return no_such_overload();
  return Value::boolean(args[0].text().find(args[1].text()) != std::string_view::npos);
}
Value ends_with(Context&, std::span<const Value> args) {
  if (!are_strings(args)) return no_such_overload();
  return Value::boolean(args[0].text().ends_with(args[1].text()));
}
Value starts_with(Context&, std::span<const Value> args) {
  if (!are_strings(args)) return no_such_overload();
  return Value::boolean(args[0].text().starts_with(args[1].text()));
}

Value matches(Context& context, std::span<const Value> args) {
  if (!args[0].is(ValueKind::kString)) {
    // What upstream calls with a pattern that is compiled already does not know its name.
    if (context.pattern() != nullptr) return no_such_overload();
    return context.error("no such overload: matches");
  }
  if (!args[1].is(ValueKind::kString)) return no_such_overload();
  const CallPattern holder(context, args[1].text());
  const RE2& pattern = holder.get();
  if (!pattern.ok()) return context.error(regex_error(pattern, args[1].text()));
  return Value::boolean(RE2::PartialMatch(args[0].text(), pattern));
}

Value size(Context& context, std::span<const Value> args) {
  const Value& value = args[0];
  switch (value.kind()) {
    case ValueKind::kString:
      return Value::integer(code_point_count(value.text()));
    case ValueKind::kBytes:
      return Value::integer(static_cast<int64_t>(value.text().size()));
    case ValueKind::kList:
    case ValueKind::kMap:
      return Value::integer(value.size());
    default:
      return context.error("no such overload: size");
  }
}

constexpr FunctionRow kRows[] = {
    {"size", "size_bytes", "(bytes) -> int", size, CallStyle::kOperator},
    {"size", "bytes_size", "bytes.() -> int", size, CallStyle::kOperator},
    {"size", "size_list", "(list(A)) -> int", size, CallStyle::kOperator},
    {"size", "list_size", "list(A).() -> int", size, CallStyle::kOperator},
    {"size", "size_map", "(map(A, B)) -> int", size, CallStyle::kOperator},
    {"size", "map_size", "map(A, B).() -> int", size, CallStyle::kOperator},
    {"size", "size_string", "(string) -> int", size, CallStyle::kOperator},
    {"size", "string_size", "string.() -> int", size, CallStyle::kOperator},
    {"contains", "contains_string", "string.(string) -> bool", contains, CallStyle::kUnguarded},
    {"endsWith", "ends_with_string", "string.(string) -> bool", ends_with, CallStyle::kUnguarded},
    {"startsWith", "starts_with_string", "string.(string) -> bool", starts_with,
     CallStyle::kUnguarded},
    {"matches", "matches", "(string, string) -> bool", matches, CallStyle::kOperator},
    {"matches", "matches_string", "string.(string) -> bool", matches, CallStyle::kOperator},
};

}  // namespace string_functions

std::span<const FunctionRow> string_rows() { return string_functions::kRows; }

}  // namespace proa::cel
