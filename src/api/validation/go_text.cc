#include "api/validation/go_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/utf8.h"

namespace proa::api {

namespace go_text {

struct Range {
  char32_t first;
  char32_t last;
};

// Controls, spaces other than U+0020, formats, surrogates, private use, and invalid code points.
constexpr std::array kHidden{
    Range{0x0, 0x1F},         Range{0x7F, 0xA0},       Range{0xAD, 0xAD},
    Range{0x600, 0x605},      Range{0x61C, 0x61C},     Range{0x6DD, 0x6DD},
    Range{0x70F, 0x70F},      Range{0x8E2, 0x8E2},     Range{0x1680, 0x1680},
    Range{0x180E, 0x180E},    Range{0x2000, 0x200F},   Range{0x2028, 0x202F},
    Range{0x205F, 0x206F},    Range{0x3000, 0x3000},   Range{0xD800, 0xF8FF},
    Range{0xFEFF, 0xFEFF},    Range{0xFFF0, 0xFFFB},   Range{0xFFFE, 0xFFFF},
    Range{0x110BD, 0x110BD},  Range{0x110CD, 0x110CD}, Range{0x13430, 0x1343F},
    Range{0x1BCA0, 0x1BCA3},  Range{0x1D173, 0x1D17A}, Range{0xE0000, 0xE00FF},
    Range{0xE01F0, 0x10FFFF},
};

void append_escaped(std::string& out, std::string_view bytes, const Utf8& found) {
  constexpr std::string_view kNamed = "\a\b\f\n\r\t\v";
  constexpr std::string_view kNames = "abfnrtv";
  if (!found.valid) {
    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.front()));
  } else if (found.code == '"' || found.code == '\\') {
    out += '\\';
    out += static_cast<char>(found.code);
  } else if (is_printable(found.code)) {
    out += bytes.substr(0, found.size);
  } else if (const size_t at = kNamed.find(bytes.front()); at != std::string_view::npos) {
    out += '\\';
    out += kNames[at];
  } else if (found.code < ' ' || found.code == 0x7F) {
    out += fmt::format("\\x{:02x}", uint32_t{found.code});
  } else if (found.code < 0x10000) {
    out += fmt::format("\\u{:04x}", uint32_t{found.code});
  } else {
    out += fmt::format("\\U{:08x}", uint32_t{found.code});
  }
}

}  // namespace go_text

bool is_printable(char32_t code) {
  const auto* range = std::lower_bound(
      go_text::kHidden.begin(), go_text::kHidden.end(), code,
      [](const go_text::Range& each, char32_t wanted) { return each.last < wanted; });
  return range == go_text::kHidden.end() ? false : code < range->first;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  while (!text.empty()) {
    const Utf8 found = decode_utf8(text);
    go_text::append_escaped(out, text, found);
    text.remove_prefix(found.size);
  }
  out += '"';
  return out;
}

std::string code_point_text(char32_t code) {
  std::string out = fmt::format("U+{:04X}", uint32_t{code});
  if (!is_printable(code)) return out;
  out += " '";
  append_utf8(out, code);
  out += '\'';
  return out;
}

std::string aggregate_text(std::span<const std::string> errors) {
  std::vector<std::string_view> distinct;
  for (const std::string& error : errors) {
    if (std::ranges::find(distinct, error) == distinct.end()) distinct.push_back(error);
  }
  const std::string all = fmt::format("{}", fmt::join(distinct, ", "));
  return distinct.size() == 1 ? all : "[" + all + "]";
}

}  // namespace proa::api
