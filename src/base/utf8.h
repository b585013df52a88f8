#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace proa {

// One code point at the front of some text.
struct Utf8 {
  char32_t code = 0xFFFD;  // the replacement character for invalid UTF-8
  uint8_t size = 1;        // bytes consumed; one for invalid UTF-8
  bool valid = false;
};

// Overlong forms, surrogates and values beyond U+10FFFF are invalid. REQUIRES: text is not empty.
Utf8 decode_utf8(std::string_view text);
// Invalid code points (surrogates, beyond U+10FFFF) become U+FFFD.
void append_utf8(std::string& out, char32_t code);
bool is_utf8(std::string_view text);
// The text with U+FFFD instead of each invalid byte; at most `limit` bytes of it, which end with a
// whole character.
std::string valid_utf8(std::string_view text, size_t limit = std::string::npos);

}  // namespace proa
