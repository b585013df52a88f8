#include "json/text/count.h"

namespace proa::json {
namespace count {

// After the end of a string whose contents begin here.
size_t after_string(std::string_view text, size_t at) {
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at + 1;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace count

size_t count_values(std::string_view text, size_t most) {
  // Each value but the root is the first one of its container, or follows a comma.
  size_t values = 1;
  bool opened = false;  // a container, and nothing was in it yet
  for (size_t at = 0; at < text.size() && values <= most;) {
    const char c = text[at++];
    if (count::is_space(c)) continue;
    if (opened && c != ']' && c != '}') ++values;
    opened = c == '[' || c == '{';
    if (c == ',') ++values;
    if (c == '"') at = count::after_string(text, at);
  }
  return values;
}

}  // namespace proa::json
