#include "apiserver/representation/yaml.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace proa::apiserver {
namespace yaml {

bool is_escaped(char32_t code) { return (code >= 0x7F && code < 0xA0) || code == 0xFEFF; }

// The first byte of such a character, or of some others.
bool may_begin_escaped(char c) { return c == 0x7F || c == '\xC2' || c == '\xEF'; }

}  // namespace yaml

Bytes as_yaml(Bytes json) {
  const std::string_view text = json.view();
  std::string out;
  size_t copied = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!yaml::may_begin_escaped(text[at])) continue;
    const Utf8 found = decode_utf8(text.substr(at));
    if (!found.valid || !yaml::is_escaped(found.code)) continue;
    out.append(text.substr(copied, at - copied));
    out += fmt::format("\\u{:04x}", uint32_t{found.code});
    copied = at + found.size;
    at = copied - 1;
  }
  if (copied == 0) return json;
  out.append(text.substr(copied));
  return Bytes(std::move(out));
}

}  // namespace proa::apiserver
