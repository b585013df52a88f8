#include "kubelet/runtime/images/glob.h"

namespace proa::kubelet {
namespace globs {

// One character of a class, with its escape; false at the end of the pattern.
bool take_character(std::string_view& pattern, char& out) {
  if (pattern.empty() || pattern.front() == '-' || pattern.front() == ']') return false;
  if (pattern.front() == '\\') pattern.remove_prefix(1);
  if (pattern.empty()) return false;
  out = pattern.front();
  pattern.remove_prefix(1);
  return !pattern.empty();
}

// Takes a class off the front, behind its bracket. False: malformed, or `c` is not in it.
bool take_class(std::string_view& pattern, char c) {
  const bool is_negated = !pattern.empty() && pattern.front() == '^';
  if (is_negated) pattern.remove_prefix(1);
  bool is_in = false;
  for (bool is_first = true;; is_first = false) {
    if (!is_first && !pattern.empty() && pattern.front() == ']') break;
    char low = 0;
    if (!take_character(pattern, low)) return false;
    char high = low;
    if (pattern.front() == '-') {
      pattern.remove_prefix(1);
      if (!take_character(pattern, high)) return false;
    }
    is_in = is_in || (low <= c && c <= high);
  }
  pattern.remove_prefix(1);
  return is_in != is_negated;
}

}  // namespace globs

bool matches_glob(std::string_view pattern, std::string_view text) {
  // Where to go on with one character more for the last star, if there was one.
  std::string_view star_pattern;
  std::string_view star_text;
  bool has_star = false;
  while (true) {
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      star_pattern = pattern;
      star_text = text;
      has_star = true;
      continue;
    }
    if (pattern.empty() && text.empty()) return true;
    bool is_match = false;
    if (!pattern.empty() && !text.empty()) {
      const char wanted = pattern.front();
      pattern.remove_prefix(1);
      if (wanted == '?') {
        is_match = text.front() != '/';
      } else if (wanted == '[') {
        is_match = globs::take_class(pattern, text.front());
      } else if (wanted == '\\') {
        is_match = !pattern.empty() && pattern.front() == text.front();
        if (!pattern.empty()) pattern.remove_prefix(1);
      } else {
        is_match = wanted == text.front();
      }
    }
    if (is_match) {
      text.remove_prefix(1);
      continue;
    }
    if (!has_star || star_text.empty() || star_text.front() == '/') return false;
    star_text.remove_prefix(1);
    pattern = star_pattern;
    text = star_text;
  }
}

}  // namespace proa::kubelet
