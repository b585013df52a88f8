#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace proa::json {

// Reads JSON text from front to back without building a tree: enter an object or array, then read
// or skip each value. Any text is safe: after the first mistake every call fails. What is skipped
// is checked for its brackets and quotes only. Views point into the text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  // The first byte of the next value, which tells its kind; zero at the end.
  char peek();
  // Where reading stands, for error messages.
  size_t offset() const { return at_; }
  bool failed() const { return failed_; }

  // On false, the next value is of another kind and is still to be read.
  bool enter_object();
  bool enter_array();
  // Moves to the next value of the object or array that was entered last and not yet left; on
  // false it has ended, or the text is malformed.
  bool next_member();
  bool next_item();
  // Between its quotes, with its escapes: the key of the current value.
  std::string_view key() const { return key_; }

  // Nullopt, and nothing is read, where the value is of another kind.
  std::optional<std::string_view> string();  // between its quotes, with its escapes
  std::optional<std::string_view> number();  // its text
  std::optional<bool> boolean();
  bool null();
  // Any value. Returns its text.
  std::string_view skip();

 private:
  bool expect(char c);
  bool next(char close);
  bool word(std::string_view word);
  std::string_view quoted();
  void fail() { failed_ = true; }

  std::string_view text_;
  std::string_view key_;
  size_t at_ = 0;
  bool first_ = false;  // nothing of the innermost object or array was read yet
  bool failed_ = false;
};

// What stands between the quotes of a string, with its escapes resolved. Nullopt when they are
// malformed.
std::optional<std::string> unescape(std::string_view raw);

}  // namespace proa::json
