#include "base/encoding.h"

#include <array>
#include <cstdint>

namespace proa {
namespace encoding {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kUpperHex = "0123456789ABCDEF";
constexpr std::string_view kStandard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlSafe =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int8_t kForeign = -1;

using Digits = std::array<int8_t, 256>;

constexpr Digits digits_of(std::string_view alphabet) {
  Digits digits{};
  for (auto& digit : digits) digit = kForeign;
  for (size_t i = 0; i < alphabet.size(); ++i) {
    digits[static_cast<unsigned char>(alphabet[i])] = static_cast<int8_t>(i);
  }
  return digits;
}

constexpr Digits kStandardDigits = digits_of(kStandard);
constexpr Digits kUrlSafeDigits = digits_of(kUrlSafe);

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return kForeign;
}

std::string encode_hex(std::string_view bytes, std::string_view digits) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

std::string encode(std::string_view bytes, std::string_view alphabet) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  uint32_t bits = 0;
  int held = 0;
  for (const char c : bytes) {
    bits = (bits << 8) | static_cast<unsigned char>(c);
    held += 8;
    while (held >= 6) {
      held -= 6;
      out += alphabet[(bits >> held) & 63];
    }
  }
  if (held > 0) out += alphabet[(bits << (6 - held)) & 63];
  return out;
}

// REQUIRES: the padding of `text` is removed.
std::optional<std::string> decode(std::string_view text, const Digits& digits) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const int8_t digit = digits[static_cast<unsigned char>(c)];
    if (digit == kForeign) return std::nullopt;
    bits = (bits << 6) | static_cast<uint32_t>(digit);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>((bits >> held) & 0xFF);
    }
  }
  // Bits beyond the last byte must be zero, or two texts would mean the same bytes.
  if ((bits & ((1U << held) - 1)) != 0) return std::nullopt;
  return out;
}

}  // namespace encoding

std::string to_hex(std::string_view bytes) { return encoding::encode_hex(bytes, encoding::kHex); }

std::string to_upper_hex(std::string_view bytes) {
  return encoding::encode_hex(bytes, encoding::kUpperHex);
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = encoding::hex_digit(text[i]);
    const int low = encoding::hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

std::string to_base64(std::string_view bytes) {
  std::string out = encoding::encode(bytes, encoding::kStandard);
  while (out.size() % 4 != 0) out += '=';
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  if (text.ends_with("==")) {
    text.remove_suffix(2);
  } else if (text.ends_with('=')) {
    text.remove_suffix(1);
  }
  return encoding::decode(text, encoding::kStandardDigits);
}

std::string to_base64_url(std::string_view bytes) {
  return encoding::encode(bytes, encoding::kUrlSafe);
}

std::optional<std::string> from_base64_url(std::string_view text) {
  return encoding::decode(text, encoding::kUrlSafeDigits);
}

}  // namespace proa
