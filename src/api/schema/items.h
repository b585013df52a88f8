#pragma once

#include <string_view>
#include <vector>

namespace proa::api {

// A head ("type PodSpec ...") or something that stands indented below one, with its continuation
// lines.
struct SchemaItem {
  std::string_view text;
  int line = 0;
  bool indented = false;
  size_t column = 0;  // where its first word ends; fields of a group are further to the right

  // Its words. Quoted text is one word, with its quotes; so is what stands in braces, without them.
  std::vector<std::string_view> words() const;
};

// Without comments and empty lines. A line that is indented and starts neither with a number nor
// with "-", "/", "union" or "removed" goes on with the item above, as does every line inside
// quotes.
std::vector<SchemaItem> split_items(std::string_view text);

}  // namespace proa::api
