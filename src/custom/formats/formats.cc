#include "custom/formats/formats.h"

#include <re2/re2.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/net/ip_address.h"
#include "base/strings.h"
#include "cel/values/formats.h"

namespace proa::custom {
namespace formats {

constexpr size_t kLongestLabel = 63;
constexpr size_t kLongestHostname = 255;
constexpr size_t kLongestShortName = 63;
constexpr size_t kLongestLongName = 253;

bool matches(const RE2& pattern, std::string_view text) {
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool all_hex(std::string_view text) {
  for (const char c : text) {
    if (!is_hex(c)) return false;
  }
  return true;
}

size_t code_points(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// Upstream's pattern counts repetitions of large classes, which RE2 needs megabytes for: here,
// patterns only tell the classes.
bool is_hostname(std::string_view text) {
  static const RE2 label(
      R"([a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9\-\p{S}\p{L}]*[a-zA-Z0-9\p{S}\p{L}])?)");
  static const RE2 top_level(R"([a-zA-Z\p{L}]+)");
  static const RE2 alone(R"([a-zA-Z0-9\p{S}\p{L}]-?[a-zA-Z0-9\p{S}\p{L}]*)");
  if (text.size() > kLongestHostname) return false;
  const std::vector<std::string_view> labels = split(text, '.');
  for (const std::string_view one : labels) {
    if (one.size() > kLongestLabel) return false;
  }
  if (labels.size() == 1) return matches(alone, text);
  const std::string_view last = labels.back();
  return code_points(last) >= 2 && matches(top_level, last) &&
         std::all_of(labels.begin(), labels.end() - 1,
                     [](std::string_view one) { return matches(label, one); });
}

// 8-4-4-4-12 hexadecimal digits; each dash may be missing.
bool is_uuid(std::string_view text, char version) {
  constexpr size_t kGroups[] = {8, 4, 4, 4, 12};
  for (size_t group = 0; group < std::size(kGroups); ++group) {
    if (group > 0 && text.starts_with('-')) text.remove_prefix(1);
    if (text.size() < kGroups[group]) return false;
    const std::string_view digits = text.substr(0, kGroups[group]);
    if (!all_hex(digits)) return false;
    if (group == 2 && version != 0 && digits[0] != version) return false;
    constexpr std::string_view kVariants = "89abAB";
    if (group == 3 && (version == '4' || version == '5') &&
        kVariants.find(digits[0]) == std::string_view::npos) {
      return false;
    }
    text.remove_prefix(kGroups[group]);
  }
  return text.empty();
}

std::string without(std::string_view text, std::string_view characters) {
  std::string kept;
  for (const char c : text) {
    if (characters.find(c) == std::string_view::npos) kept += c;
  }
  return kept;
}

std::string digits_of(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    if (is_digit(c)) kept += c;
  }
  return kept;
}

bool all_digits(std::string_view text) { return digits_of(text).size() == text.size(); }

bool is_isbn10(std::string_view text) {
  const std::string digits = without(text, "- \t\n\f\r");
  if (digits.size() != 10 || !all_digits(std::string_view(digits).substr(0, 9))) return false;
  if (!is_digit(digits[9]) && digits[9] != 'X') return false;
  int sum = 0;
  for (int i = 0; i < 9; ++i) sum += (i + 1) * (digits[static_cast<size_t>(i)] - '0');
  sum += 10 * (digits[9] == 'X' ? 10 : digits[9] - '0');
  return sum % 11 == 0;
}

bool is_isbn13(std::string_view text) {
  const std::string digits = without(text, "- \t\n\f\r");
  if (digits.size() != 13 || !all_digits(digits)) return false;
  int sum = 0;
  for (size_t i = 0; i < 12; ++i) sum += (i % 2 == 0 ? 1 : 3) * (digits[i] - '0');
  return digits[12] - '0' == (10 - sum % 10) % 10;
}

bool is_credit_card(std::string_view text) {
  static const RE2 pattern(
      R"(4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|)"
      R"(3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})");
  const std::string digits = digits_of(text);
  if (!matches(pattern, digits)) return false;
  int sum = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    const int digit = digits[digits.size() - 1 - i] - '0';
    const int counted = i % 2 == 0 ? digit : digit * 2;
    sum += counted >= 10 ? counted % 10 + 1 : counted;
  }
  return sum % 10 == 0;
}

// Six, eight or twenty bytes: "01:23:...", "01-23-..." or "0123.4567....".
bool is_mac(std::string_view text) {
  if (text.size() < 14) return false;
  const bool dots = text[4] == '.';
  const size_t group = dots ? 4 : 2;
  const char separator = text[group];
  if (!dots && separator != ':' && separator != '-') return false;
  if ((text.size() + 1) % (group + 1) != 0) return false;
  const size_t bytes = (text.size() + 1) / (group + 1) * group / 2;
  if (bytes != 6 && bytes != 8 && bytes != 20) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool mark = i % (group + 1) == group;
    if (mark ? text[i] != separator : !is_hex(text[i])) return false;
  }
  return true;
}

bool is_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return false;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  for (const char c : text.substr(0, text.size() - padding)) {
    if (!is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '+' && c != '/')
      return false;
  }
  return true;
}

bool is_ssn(std::string_view text) {
  static const RE2 pattern(R"(\d{3}[- ]?\d{2}[- ]?\d{4})");
  return text.size() == 11 && matches(pattern, text);
}

bool is_rgb_color(std::string_view text) {
  static const RE2 pattern(
      R"(rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,)"
      R"(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\))");
  return matches(pattern, text);
}

bool is_hex_color(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  return (text.size() == 3 || text.size() == 6) && all_hex(text);
}

bool is_label(std::string_view text) {
  const auto alphanumeric = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); };
  if (text.empty() || !alphanumeric(text.front()) || !alphanumeric(text.back())) return false;
  for (const char c : text) {
    if (!alphanumeric(c) && c != '-') return false;
  }
  return true;
}

bool is_long_name(std::string_view text) {
  if (text.size() > kLongestLongName) return false;
  for (const std::string_view label : split(text, '.')) {
    if (!is_label(label)) return false;
  }
  return true;
}

// Go's net.ParseIP: neither leading zeros nor groups of more than four digits.
bool is_ipv6(std::string_view text) {
  if (text.find(':') == std::string_view::npos) return false;
  IpNotation notation;
  if (!parse_ip(text, &notation) || notation.leading_zeros) return false;
  size_t group = 0;
  for (const char c : text) {
    group = c == ':' || c == '.' ? 0 : group + 1;
    if (group > 4) return false;
  }
  return true;
}

}  // namespace formats

bool has_format(api::Format format, std::string_view text) {
  using api::Format;
  switch (format) {
    case Format::kBsonObjectId:
      return text.size() == 24 && formats::all_hex(text);
    case Format::kUri:
      return is_request_uri(text);
    case Format::kEmail:
      return is_email(text);
    case Format::kHostname:
      return formats::is_hostname(text);
    case Format::kIpv4:
      return text.find('.') != std::string_view::npos && parse_ip(text).has_value();
    case Format::kIpv6:
      return formats::is_ipv6(text);
    case Format::kCidr:
      return parse_prefix(text).has_value();
    case Format::kMac:
      return formats::is_mac(text);
    case Format::kUuid:
      return formats::is_uuid(text, 0);
    case Format::kUuid3:
      return formats::is_uuid(text, '3');
    case Format::kUuid4:
      return formats::is_uuid(text, '4');
    case Format::kUuid5:
      return formats::is_uuid(text, '5');
    case Format::kIsbn:
      return formats::is_isbn10(text) || formats::is_isbn13(text);
    case Format::kIsbn10:
      return formats::is_isbn10(text);
    case Format::kIsbn13:
      return formats::is_isbn13(text);
    case Format::kCreditCard:
      return formats::is_credit_card(text);
    case Format::kSsn:
      return formats::is_ssn(text);
    case Format::kHexColor:
      return formats::is_hex_color(text);
    case Format::kRgbColor:
      return formats::is_rgb_color(text);
    case Format::kByte:
      return formats::is_base64(text);
    case Format::kDate:
      return cel::is_date(text);
    case Format::kDateTime:
      return cel::is_date_time(text);
    case Format::kDuration:
      return cel::is_duration(text);
    case Format::kShortName:
      return text.size() <= formats::kLongestShortName && formats::is_label(text);
    case Format::kLongName:
      return formats::is_long_name(text);
    default:
      return true;
  }
}

}  // namespace proa::custom
