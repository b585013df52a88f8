#pragma once

#include <string_view>
#include <vector>

namespace proa::api {

// A head ("type PodSpec ...") or an indented item below one, with its continuation lines.
struct SchemaItem {
  std::string_view text;
  int line = 0;
  bool indented = false;
  size_t column = 0;  // where its first word ends; fields of a group are indented further

  // Its words. Quoted text is one word, with its quotes; braced text is one word, without braces.
  std::vector<std::string_view> words() const;
};

// Without comments and empty lines. An indented line that starts neither with a number nor with
// "-", "/", "union" or "removed" continues the item above, as does every line inside quotes.
std::vector<SchemaItem> split_items(std::string_view text);

}  // namespace proa::api
