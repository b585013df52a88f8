#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proa {

// Views into `text`: one more than there are separators, so "" gives one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);
// The parts before and after the first separator; nullopt if there is none.
struct Halves {
  std::string_view before;
  std::string_view after;
};
std::optional<Halves> split_once(std::string_view text, char separator);

std::string join(std::span<const std::string> parts, std::string_view separator);
std::string join(std::span<const std::string_view> parts, std::string_view separator);

// Without leading and trailing spaces, tabs and line ends.
std::string_view trim(std::string_view text);

// ASCII only: other bytes are unchanged.
std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);

// Decimal, the whole text, no '+', no white space; nullopt also when it does not fit.
std::optional<int64_t> parse_int(std::string_view text);
std::optional<uint64_t> parse_uint(std::string_view text);

namespace same_text_words {

template <typename Word>
bool same_word(const char* a, const char* b) {
  Word left;
  Word right;
  std::memcpy(&left, a, sizeof(Word));
  std::memcpy(&right, b, sizeof(Word));
  return left == right;
}

}  // namespace same_text_words

// a == b, without a call for texts of up to 16 bytes. For names of fields, which are short, and
// which are compared far more often than they are equal.
inline bool same_text(std::string_view a, std::string_view b) {
  using same_text_words::same_word;
  const size_t size = a.size();
  if (size != b.size()) return false;
  if (a.data() == b.data()) return true;  // names of a decoded object are those of its schema
  if (size >= sizeof(uint64_t)) {
    if (!same_word<uint64_t>(a.data(), b.data())) return false;
    if (size > 2 * sizeof(uint64_t)) return std::memcmp(a.data(), b.data(), size) == 0;
    const size_t rest = size - sizeof(uint64_t);
    return same_word<uint64_t>(a.data() + rest, b.data() + rest);
  }
  if (size >= sizeof(uint32_t)) {
    const size_t rest = size - sizeof(uint32_t);
    return same_word<uint32_t>(a.data(), b.data()) &&
           same_word<uint32_t>(a.data() + rest, b.data() + rest);
  }
  for (size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace proa
