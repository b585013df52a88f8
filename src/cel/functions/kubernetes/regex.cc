#include <vector>

#include "cel/functions/standard/regex.h"
#include "cel/functions/tables.h"
#include "cel/values/collections.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace kubernetes_regex {

Value illegal(Context& context, const RE2& pattern, std::string_view text) {
  return context.error("Illegal regex: " + regex_error(pattern, text));
}

Value find(Context& context, std::span<const Value> args) {
  const RE2 pattern(args[1].text(), regex_options());
  if (!pattern.ok()) return illegal(context, pattern, args[1].text());
  re2::StringPiece found;
  const re2::StringPiece text(args[0].text());
  if (!pattern.Match(text, 0, text.size(), RE2::UNANCHORED, &found, 1)) return Value::string("");
  return Value::string({found.data(), found.size()});
}

// Matches that do not overlap; an empty one right behind another one does not count.
Value find_some(Context& context, std::span<const Value> args, int64_t limit) {
  const RE2 pattern(args[1].text(), regex_options());
  if (!pattern.ok()) return illegal(context, pattern, args[1].text());
  std::vector<Value> out;
  const re2::StringPiece text(args[0].text());
  size_t at = 0;
  const char* last_end = nullptr;
  while (at <= text.size() && (limit < 0 || static_cast<int64_t>(out.size()) < limit)) {
    re2::StringPiece found;
    if (!pattern.Match(text, at, text.size(), RE2::UNANCHORED, &found, 1)) break;
    const auto end = static_cast<size_t>(found.data() - text.data()) + found.size();
    if (!found.empty() || found.data() != last_end) {
      out.push_back(Value::string({found.data(), found.size()}));
    }
    last_end = found.data() + found.size();
    at = found.empty() ? end + 1 : end;
  }
  return make_list(context.arena(), out);
}
Value find_all(Context& context, std::span<const Value> args) {
  return find_some(context, args, -1);
}
Value find_limited(Context& context, std::span<const Value> args) {
  return find_some(context, args, args[2].as_int());
}

constexpr FunctionRow kRows[] = {
    {"find", "string_find_string", "string.(string) -> string", find},
    {"findAll", "string_find_all_string", "string.(string) -> list(string)", find_all},
    {"findAll", "string_find_all_string_int", "string.(string, int) -> list(string)", find_limited},
};

}  // namespace kubernetes_regex

std::span<const FunctionRow> kubernetes_regex_rows() { return kubernetes_regex::kRows; }

}  // namespace proa::cel
