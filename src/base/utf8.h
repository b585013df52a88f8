#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace proa {

// One code point at the front of some text.
struct Utf8 {
  char32_t code = 0xFFFD;  // the replacement character where the bytes are no UTF-8
  uint8_t size = 1;        // how many bytes it took; one where they are no UTF-8
  bool valid = false;
};

// Overlong forms, surrogates and what lies beyond U+10FFFF are not valid. REQUIRES: text is not
// empty.
Utf8 decode_utf8(std::string_view text);
// Code points that are none (surrogates, beyond U+10FFFF) become U+FFFD.
void append_utf8(std::string& out, char32_t code);
bool is_utf8(std::string_view text);

}  // namespace proa
