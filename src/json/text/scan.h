#pragma once

#include <optional>
#include <string_view>

namespace proa::json {

// Finds a few members in text that print() produced, without building a tree. REQUIRES: the text is
// valid JSON without white space; for other text the results are unspecified, but nothing is read
// outside of it.
class Scan {
 public:
  struct Member {
    std::string_view key;    // without its quotes, still escaped
    std::string_view value;  // its text
  };

  // Iterates over the members of an object or the items of an array.
  explicit Scan(std::string_view text) : text_(text.empty() ? text : text.substr(1)) {}

  // The next member; nullopt at the end.
  std::optional<Member> next_member();
  // The next item; nullopt at the end.
  std::optional<std::string_view> next_item();

  // The value of a member; empty if there is none.
  static std::string_view find(std::string_view object, std::string_view key);
  // The content of a string; empty for other values. Escapes are not decoded: for values that never
  // have any, such as names and labels.
  static std::string_view unquoted(std::string_view text);

 private:
  // Removes and returns the value at the front.
  std::string_view take_value();
  size_t string_end(size_t from) const;

  std::string_view text_;
};

}  // namespace proa::json
