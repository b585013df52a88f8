#include <optional>
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
  const CallPattern holder(context, args[1].text());
  const RE2& pattern = holder.get();
  if (!pattern.ok()) return illegal(context, pattern, args[1].text());
  re2::StringPiece found;
  const re2::StringPiece text(args[0].text());
  if (!pattern.Match(text, 0, text.size(), RE2::UNANCHORED, &found, 1)) return Value::string("");
  return Value::string({found.data(), found.size()});
}

// Some milliseconds, if the pattern is slow.
constexpr size_t kRoundsPerLook = 1000;

// How far Go goes on behind an empty match: one character, also where its bytes are no UTF-8.
size_t next_character(std::string_view text, size_t at) {
  ++at;
  while (at < text.size() && (static_cast<uint8_t>(text[at]) & 0xC0U) == 0x80U) ++at;
  return at;
}

// Matches that do not overlap; an empty one right behind another one does not count.
Value find_some(Context& context, std::span<const Value> args, int64_t limit) {
  const CallPattern holder(context, args[1].text());
  const RE2& pattern = holder.get();
  if (!pattern.ok()) return illegal(context, pattern, args[1].text());
  std::vector<Value> out;
  // RE2 does not say where an empty match of a text without data lies.
  const std::string_view given = args[0].text().empty() ? std::string_view("") : args[0].text();
  const re2::StringPiece text(given);
  size_t at = 0;
  std::optional<size_t> last_end;
  size_t rounds = 0;
  while (at <= text.size() && (limit < 0 || static_cast<int64_t>(out.size()) < limit)) {
    if (++rounds % kRoundsPerLook == 0 && !context.in_time()) break;
    re2::StringPiece found;
    if (!pattern.Match(text, at, text.size(), RE2::UNANCHORED, &found, 1)) break;
    const auto start = static_cast<size_t>(found.data() - text.data());
    const size_t end = start + found.size();
    if (!found.empty() || start != last_end) {
      out.push_back(Value::string({found.data(), found.size()}));
    }
    last_end = end;
    at = found.empty() ? next_character(given, end) : end;
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
