#include "crypto/pem.h"

#include <algorithm>

#include "base/encoding.h"
#include "base/strings.h"

namespace proa::crypto {

namespace pem {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kDashes = "-----";
constexpr auto kNone = std::string_view::npos;

// Skips header lines "Name: value" and the empty line after them.
bool cut_headers(std::string_view& body) {
  bool found = false;
  for (;;) {
    const size_t end = body.find('\n');
    if (end == kNone || body.substr(0, end).find(':') == kNone) return found;
    body.remove_prefix(end + 1);
    found = true;
  }
}

std::optional<std::string> decode(std::string_view body) {
  std::string digits;
  std::copy_if(body.begin(), body.end(), std::back_inserter(digits),
               [](char c) { return c != '\n' && c != '\r' && c != ' ' && c != '\t'; });
  return from_base64(digits);
}

// REQUIRES: `text` starts after the dashes of a BEGIN line.
std::optional<PemBlock> read_block(std::string_view& text) {
  const size_t line_end = text.find('\n');
  if (line_end == kNone) return std::nullopt;
  std::string_view type = trim(text.substr(0, line_end));
  if (!type.ends_with(kDashes)) return std::nullopt;
  type.remove_suffix(kDashes.size());
  std::string_view body = text.substr(line_end + 1);
  const std::string end_line = "-----END " + std::string(type) + "-----";
  // There are no dashes in between, so that the search ends at the next line of this kind, and text
  // with many beginnings is read once.
  const size_t end = body.find(kDashes);
  if (end == kNone || (end != 0 && body[end - 1] != '\n')) return std::nullopt;
  if (!body.substr(end).starts_with(end_line)) return std::nullopt;
  const std::string_view rest = body.substr(end + end_line.size());
  body = body.substr(0, end);
  PemBlock block{.type = type};
  block.has_headers = cut_headers(body);
  auto bytes = decode(body);
  if (!bytes) return std::nullopt;
  block.bytes = std::move(*bytes);
  text = rest;
  return block;
}

}  // namespace pem

bool PemBlock::is_sequence() const {
  constexpr unsigned char kSequence = 0x30;
  constexpr unsigned char kLongLength = 0x80;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() < 2 || byte(0) != kSequence) return false;
  if (byte(1) < kLongLength) return bytes.size() == 2U + byte(1);
  const size_t digits = byte(1) - kLongLength;
  if (digits == 0 || digits > 4 || bytes.size() < 2 + digits) return false;
  size_t length = 0;
  for (size_t i = 0; i < digits; ++i) length = length << 8 | byte(2 + i);
  return bytes.size() == 2 + digits + length;
}

std::optional<PemBlock> next_pem_block(std::string_view& text) {
  for (;;) {
    const size_t begin = text.find(pem::kBegin);
    if (begin == pem::kNone) return std::nullopt;
    const bool starts_line = begin == 0 || text[begin - 1] == '\n';
    text.remove_prefix(begin + pem::kBegin.size());
    if (!starts_line) continue;
    if (auto block = pem::read_block(text)) return block;
  }
}

}  // namespace proa::crypto
