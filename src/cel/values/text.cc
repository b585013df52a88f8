#include "cel/values/text.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/utf8.h"

namespace proa::cel {
namespace texts {

constexpr size_t kWord = sizeof(uint64_t);

// Eight characters of one byte each, as most are.
bool is_ascii_word(std::string_view text) {
  if (text.size() < kWord) return false;
  uint64_t word = 0;
  std::memcpy(&word, text.data(), kWord);
  return (word & 0x8080808080808080ULL) == 0;
}

// Bytes that continue a code point do not count; what is invalid counts byte by byte.
size_t first_size(std::string_view text) {
  return static_cast<uint8_t>(text.front()) < 0x80 ? 1 : decode_utf8(text).size;
}

}  // namespace texts

int64_t code_point_count(std::string_view text) {
  int64_t count = 0;
  while (!text.empty()) {
    const bool many = texts::is_ascii_word(text);
    text.remove_prefix(many ? texts::kWord : texts::first_size(text));
    count += many ? static_cast<int64_t>(texts::kWord) : 1;
  }
  return count;
}

size_t position_of_code_point(std::string_view text, int64_t index) {
  constexpr auto kWord = static_cast<int64_t>(texts::kWord);
  const std::string_view whole = text;
  while (index > 0 && !text.empty()) {
    const bool many = index >= kWord && texts::is_ascii_word(text);
    text.remove_prefix(many ? texts::kWord : texts::first_size(text));
    index -= many ? kWord : 1;
  }
  return index == 0 ? whole.size() - text.size() : std::string_view::npos;
}

size_t find_text(std::string_view text, std::string_view part) {
  if (part.empty()) return 0;
  // The standard library's find() takes the product of both sizes.
  const void* found = memmem(text.data(), text.size(), part.data(), part.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

size_t find_last_text(std::string_view text, std::string_view part) {
  if (part.size() > text.size()) return std::string_view::npos;
  const std::string backwards(text.rbegin(), text.rend());
  const std::string wanted(part.rbegin(), part.rend());
  const size_t found = find_text(backwards, wanted);
  return found == std::string::npos ? found : text.size() - part.size() - found;
}

}  // namespace proa::cel
