#include "apiserver/representation/warnings.h"

#include <unordered_set>

#include "base/text/seeded_hash.h"
#include "base/utf8.h"

namespace proa::apiserver {
namespace warnings {

// Upstream's limits, in code points: of all texts, and of each once they are too long together.
constexpr size_t kMost = 4096;
constexpr size_t kMostOfOne = 256;

bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

// The number of code points; zero if the text cannot be in a header.
size_t length_of(std::string_view text) {
  size_t length = 0;
  while (!text.empty()) {
    const Utf8 next = decode_utf8(text);
    if (!next.valid || is_control(next.code)) return 0;
    text.remove_prefix(next.size);
    ++length;
  }
  return length;
}

std::string_view shortened(std::string_view text) {
  size_t end = 0;
  for (size_t length = 0; length < kMostOfOne && end < text.size(); ++length) {
    end += decode_utf8(text.substr(end)).size;
  }
  return text.substr(0, end);
}

std::string header(std::string_view text) {
  std::string out = "299 - \"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace warnings

void add_warnings(http::Headers& headers, std::span<const std::string> warnings) {
  std::vector<std::string_view> texts;
  std::unordered_set<std::string_view, SeededHash> known;
  size_t total = 0;
  for (const std::string& text : warnings) {
    const size_t length = warnings::length_of(text);
    if (length == 0 || !known.insert(text).second) continue;
    texts.push_back(text);
    total += length;
  }
  const bool cut = total > warnings::kMost;
  size_t written = 0;
  for (std::string_view text : texts) {
    if (cut && written >= warnings::kMost) return;
    if (cut) text = warnings::shortened(text);
    written += warnings::length_of(text);
    headers.add("warning", warnings::header(text));
  }
}

}  // namespace proa::apiserver
