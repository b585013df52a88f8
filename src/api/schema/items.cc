#include "api/schema/items.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::api {
namespace items {

constexpr std::string_view kSpace = " \t\r\n";

std::string_view first_word(std::string_view text) {
  return text.substr(0, std::min(text.find_first_of(kSpace), text.size()));
}

bool starts_item(std::string_view word) {
  const bool number =
      std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  return number || word == "-" || word == "union" || word == "removed" || word.starts_with('/');
}

// Where the word at the front of the text ends.
size_t word_end(std::string_view text) {
  if (text.front() == '{') return std::min(text.find('}'), text.size() - 1) + 1;
  if (text.front() != '"') return first_word(text).size();
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

}  // namespace items

std::vector<std::string_view> SchemaItem::words() const {
  std::vector<std::string_view> words;
  words.reserve(8);  // more than nearly all have
  std::string_view rest = text;
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(items::kSpace), rest.size()));
    if (rest.empty()) return words;
    const size_t end = items::word_end(rest);
    words.push_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
}

std::vector<SchemaItem> split_items(std::string_view text) {
  std::vector<SchemaItem> found;
  int line = 0;
  bool open_quote = false;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view whole = text.substr(start, end - start);
    const std::string_view content = trim(whole);
    ++line;
    start = end + 1;
    const bool skipped = content.empty() || content.front() == '#';
    if (skipped && !open_quote) continue;
    const bool indented = whole.front() == ' ';
    const std::string_view word = items::first_word(content);
    if (open_quote || (indented && !found.empty() && !items::starts_item(word))) {
      const char* from = found.back().text.data();
      found.back().text = {from, static_cast<size_t>(whole.data() + whole.size() - from)};
    } else {
      const size_t column = static_cast<size_t>(content.data() - whole.data()) + word.size();
      found.push_back({content, line, indented, column});
    }
    if (std::count(whole.begin(), whole.end(), '"') % 2 == 1) open_quote = !open_quote;
  }
  return found;
}

}  // namespace proa::api
