#pragma once

#include <optional>
#include <string_view>

namespace proa::json {

// Walks over text that print() wrote, without making a tree of it: finds the few members that
// somebody needs of an object that is otherwise only passed on. REQUIRES: the text is valid JSON
// without white space; on other text the results mean nothing, but nothing is read outside of it.
class Scan {
 public:
  struct Member {
    std::string_view key;    // between its quotes, escapes and all
    std::string_view value;  // its text
  };

  // Over the members of an object, or the items of an array.
  explicit Scan(std::string_view text) : text_(text.empty() ? text : text.substr(1)) {}

  // The next one of an object; nullopt at its end.
  std::optional<Member> next_member();
  // The next one of an array.
  std::optional<std::string_view> next_item();

  // The value of one member of an object; empty when it has none.
  static std::string_view find(std::string_view object, std::string_view key);
  // What stands between the quotes of a string; empty for other values. Escapes are left as they
  // are: for values that never have any, as names and labels.
  static std::string_view unquoted(std::string_view text);

 private:
  // The value at the front, which is taken off.
  std::string_view take_value();
  size_t string_end(size_t from) const;

  std::string_view text_;
};

}  // namespace proa::json
