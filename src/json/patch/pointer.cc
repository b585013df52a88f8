#include "json/patch/pointer.h"

#include "base/strings.h"

namespace proa::json {
namespace pointer {

std::string unescape(std::string_view token) {
  std::string key;
  for (size_t i = 0; i < token.size(); ++i) {
    const bool escape = token[i] == '~' && i + 1 < token.size();
    if (escape && (token[i + 1] == '0' || token[i + 1] == '1')) {
      key += token[++i] == '0' ? '~' : '/';
    } else {
      key += token[i];
    }
  }
  return key;
}

}  // namespace pointer

Pointer Pointer::parse(std::string_view text) {
  Pointer result;
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return result;
  for (const std::string_view token : split(text.substr(slash + 1), '/')) {
    result.tokens_.push_back(pointer::unescape(token));
  }
  return result;
}

std::optional<size_t> resolve_index(std::string_view token, size_t limit) {
  const bool negative = token.starts_with('-');
  if (negative || token.starts_with('+')) token.remove_prefix(1);
  const std::optional<uint64_t> number = parse_uint(token);
  if (!number) return std::nullopt;
  if (!negative || *number == 0) return *number < limit ? std::optional(*number) : std::nullopt;
  return *number <= limit ? std::optional(limit - *number) : std::nullopt;
}

}  // namespace proa::json
