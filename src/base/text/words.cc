#include "base/text/words.h"

#include <algorithm>

namespace proa {

std::vector<std::string_view> words(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n\v\f";
  std::vector<std::string_view> found;
  while (true) {
    const size_t begin = text.find_first_not_of(kSpaces);
    if (begin == std::string_view::npos) return found;
    text.remove_prefix(begin);
    const size_t end = std::min(text.find_first_of(kSpaces), text.size());
    found.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

}  // namespace proa
