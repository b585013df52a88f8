#include "apiserver/representation/yaml.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "json/parse.h"
#include "json/yaml_print.h"

namespace proa::apiserver {
namespace yaml {

bool is_escaped(char32_t code) { return (code >= 0x7F && code < 0xA0) || code == 0xFEFF; }

// The first byte of such a character, or of some others.
bool may_begin_escaped(char c) { return c == 0x7F || c == '\xC2' || c == '\xEF'; }

// Beyond, indentation makes more of a document than it is worth.
size_t max_size(std::string_view json) { return 4 * json.size() + (size_t{1} << 20); }

// JSON is YAML, but for some characters.
Bytes escaped(Bytes json) {
  const std::string_view text = json.view();
  std::string out;
  size_t copied = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!may_begin_escaped(text[at])) continue;
    const Utf8 found = decode_utf8(text.substr(at));
    if (!found.valid || !is_escaped(found.code)) continue;
    out.append(text.substr(copied, at - copied));
    out += fmt::format("\\u{:04x}", uint32_t{found.code});
    copied = at + found.size;
    at = copied - 1;
  }
  if (copied == 0) return json;
  out.append(text.substr(copied));
  return Bytes(std::move(out));
}

}  // namespace yaml

Bytes as_yaml(Bytes json) {
  const Result<json::Document> document = json::parse(json.view());
  if (document) {
    std::optional<std::string> text =
        json::print_yaml(document->root(), yaml::max_size(json.view()));
    if (text) return Bytes(std::move(*text));
  }
  return yaml::escaped(std::move(json));
}

}  // namespace proa::apiserver
