#include "cel/types/escape.h"

#include <algorithm>

namespace proa::cel {
namespace name_escapes {

constexpr std::string_view kReserved[] = {
    "true",     "false",   "null",      "in",       "as",  "break",  "const",
    "continue", "else",    "for",       "function", "if",  "import", "let",
    "loop",     "package", "namespace", "return",   "var", "void",   "while"};

struct Escape {
  std::string_view text;
  std::string_view name;
};
constexpr Escape kEscapes[] = {{"__", "underscores"}, {".", "dot"}, {"-", "dash"}, {"/", "slash"}};

bool is_reserved(std::string_view name) {
  return std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved);
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace name_escapes

std::optional<std::string> escape_name(std::string_view name) {
  using namespace name_escapes;
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return std::nullopt;
  if (is_reserved(name)) return "__" + std::string(name) + "__";
  std::string out;
  while (!name.empty()) {
    const auto* const escape =
        std::find_if(std::begin(kEscapes), std::end(kEscapes),
                     [&](const Escape& candidate) { return name.starts_with(candidate.text); });
    if (escape != std::end(kEscapes)) {
      out += "__" + std::string(escape->name) + "__";
      name.remove_prefix(escape->text.size());
    } else if (is_plain(name[0])) {
      out += name[0];
      name.remove_prefix(1);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<std::string> unescape_name(std::string_view name) {
  using namespace name_escapes;
  std::string out;
  const size_t whole = name.size();
  while (!name.empty()) {
    // Two underscores, something without any, and two underscores.
    const size_t end = name.starts_with("__") ? name.find('_', 2) : std::string_view::npos;
    if (end == std::string_view::npos || end == 2 || !name.substr(end).starts_with("__")) {
      out += name[0];
      name.remove_prefix(1);
      continue;
    }
    const std::string_view content = name.substr(2, end - 2);
    const auto* const escape =
        std::find_if(std::begin(kEscapes), std::end(kEscapes),
                     [&](const Escape& candidate) { return candidate.name == content; });
    if (escape != std::end(kEscapes)) {
      out += escape->text;
    } else if (is_reserved(content) && content.size() + 4 == whole) {
      out += content;
    } else {
      return std::nullopt;
    }
    name.remove_prefix(end + 2);
  }
  return out;
}

}  // namespace proa::cel
