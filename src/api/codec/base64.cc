#include "api/codec/base64.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/encoding.h"

namespace proa::api {
namespace base64 {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The text in the form that a strict decoder accepts.
std::string normalised(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  std::copy_if(text.begin(), text.end(), std::back_inserter(clean),
               [](char c) { return c != '\r' && c != '\n'; });
  const size_t padding = clean.ends_with("==") ? 2 : clean.ends_with('=') ? 1 : 0;
  if (padding == 0 || clean.size() <= padding) return clean;
  char& last = clean[clean.size() - padding - 1];
  const size_t value = kAlphabet.find(last);
  if (value != std::string_view::npos) last = kAlphabet[value & (padding == 2 ? 0x30U : 0x3CU)];
  return clean;
}

size_t first_wrong(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' || text[i] == '\n') continue;
    const bool padding = text[i] == '=' && i + 2 >= text.size() && text.size() % 4 == 0;
    if (!padding && kAlphabet.find(text[i]) == std::string_view::npos) return i;
  }
  // Nothing foreign: too short.
  return text.size() / 4 * 4;
}

}  // namespace base64

Result<std::string> read_base64(std::string_view text) {
  if (auto bytes = from_base64(text)) return std::move(*bytes);
  if (auto bytes = from_base64(base64::normalised(text))) return std::move(*bytes);
  return Status(Reason::kBadRequest,
                fmt::format("illegal base64 data at input byte {}", base64::first_wrong(text)));
}

}  // namespace proa::api
