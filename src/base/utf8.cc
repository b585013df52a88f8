#include "base/utf8.h"

#include <algorithm>

namespace proa {
namespace utf8 {

constexpr char32_t kReplacement = 0xFFFD;
constexpr char32_t kLast = 0x10FFFF;

constexpr bool is_surrogate(char32_t code) { return code >= 0xD800 && code <= 0xDFFF; }

}  // namespace utf8

Utf8 decode_utf8(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};

  // Length, and the smallest code point that needs it: anything lower is an overlong form.
  uint8_t size = 0;
  char32_t code = 0;
  char32_t least = 0;
  if ((first & 0xE0) == 0xC0) {
    size = 2, code = first & 0x1F, least = 0x80;
  } else if ((first & 0xF0) == 0xE0) {
    size = 3, code = first & 0x0F, least = 0x800;
  } else if ((first & 0xF8) == 0xF0) {
    size = 4, code = first & 0x07, least = 0x10000;
  }
  if (size == 0 || text.size() < size) return {};
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3F);
  }
  if (code < least || code > utf8::kLast || utf8::is_surrogate(code)) return {};
  return {code, size, true};
}

void append_utf8(std::string& out, char32_t code) {
  if (code > utf8::kLast || utf8::is_surrogate(code)) code = utf8::kReplacement;
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8 next = decode_utf8(text);
    if (!next.valid) return false;
    text.remove_prefix(next.size);
  }
  return true;
}

std::string valid_utf8(std::string_view text, size_t limit) {
  std::string valid;
  valid.reserve(std::min(text.size(), limit));
  while (!text.empty()) {
    const Utf8 next = decode_utf8(text);
    const size_t before = valid.size();
    append_utf8(valid, next.code);
    if (valid.size() > limit) {
      valid.resize(before);
      break;
    }
    text.remove_prefix(next.size);
  }
  return valid;
}

}  // namespace proa
