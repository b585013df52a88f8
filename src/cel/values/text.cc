#include "cel/values/text.h"

#include "base/utf8.h"

namespace proa::cel {

int64_t code_point_count(std::string_view text) {
  int64_t count = 0;
  // Bytes that continue a code point do not count; what is invalid counts byte by byte.
  while (!text.empty()) {
    const auto lead = static_cast<uint8_t>(text.front());
    text.remove_prefix(lead < 0x80 ? 1 : decode_utf8(text).size);
    ++count;
  }
  return count;
}

}  // namespace proa::cel
