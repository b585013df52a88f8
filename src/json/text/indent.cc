#include "json/text/indent.h"

#include <algorithm>

namespace proa::json {
namespace indent_text {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// The end of the string that begins at `at`.
size_t string_end(std::string_view text, size_t at) {
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

void new_line(std::string& out, size_t depth) {
  out += '\n';
  out.append(2 * depth, ' ');
}

}  // namespace indent_text

std::optional<std::string> indent(std::string_view text, size_t most) {
  using namespace indent_text;
  if (text.size() > most) return std::nullopt;
  std::string out;
  out.reserve(std::min(most, text.size() + text.size() / 2));
  size_t depth = 0;
  for (size_t i = skip_space(text, 0); i < text.size(); i = skip_space(text, i)) {
    if (out.size() > most) return std::nullopt;
    const char c = text[i];
    if (c == '"') {
      const size_t end = string_end(text, i);
      out.append(text.substr(i, end - i));
      i = end;
      continue;
    }
    ++i;
    if (c == '{' || c == '[') {
      out += c;
      i = skip_space(text, i);
      if (i < text.size() && (text[i] == '}' || text[i] == ']')) {
        out += text[i++];
      } else {
        new_line(out, ++depth);
      }
    } else if (c == '}' || c == ']') {
      if (depth > 0) --depth;
      new_line(out, depth);
      out += c;
    } else if (c == ',') {
      out += c;
      new_line(out, depth);
    } else if (c == ':') {
      out += ": ";
    } else {
      out += c;
    }
  }
  if (out.size() > most) return std::nullopt;
  return out;
}

}  // namespace proa::json
