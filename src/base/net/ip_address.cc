#include "base/net/ip_address.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa {

namespace ip_address {

constexpr size_t kV4Start = 12;

// Digits at the front of a text.
struct Number {
  uint32_t value = 0;
  size_t digits = 0;
};

std::optional<Number> take_number(std::string_view& text, unsigned base, uint32_t most) {
  Number number;
  for (; number.digits < text.size(); ++number.digits) {
    const char c = text[number.digits];
    unsigned digit = 16;
    if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A') + 10;
    if (digit >= base) break;
    number.value = number.value * base + digit;
    if (number.value > most) return std::nullopt;
  }
  if (number.digits == 0) return std::nullopt;
  text.remove_prefix(number.digits);
  return number;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

bool parse_v4(std::string_view text, uint8_t* out, IpNotation& notation) {
  for (size_t i = 0; i < 4; ++i) {
    if (i > 0 && !take(text, '.')) return false;
    const bool zero = text.starts_with('0');
    const auto octet = take_number(text, 10, 255);
    if (!octet) return false;
    if (zero && octet->digits > 1) notation.leading_zeros = true;
    out[i] = static_cast<uint8_t>(octet->value);
  }
  return text.empty();
}

// The groups of an IPv6 address as far as they were read.
struct Groups {
  std::array<uint8_t, 16> bytes{};
  size_t size = 0;
  std::optional<size_t> gap;  // where "::" stands
};

// One group, or the IPv4 address at the end.
bool take_group(std::string_view& text, Groups& groups, IpNotation& notation) {
  const std::string_view start = text;
  const auto group = take_number(text, 16, 0xFFFF);
  if (!group) return false;
  if (text.starts_with('.')) {
    if (!groups.gap && groups.size != kV4Start) return false;
    if (groups.size > kV4Start) return false;
    if (!parse_v4(start, groups.bytes.data() + groups.size, notation)) return false;
    groups.size += 4;
    text = {};
    return true;
  }
  if (group->digits > 4) notation.leading_zeros = true;
  groups.bytes[groups.size++] = static_cast<uint8_t>(group->value >> 8);
  groups.bytes[groups.size++] = static_cast<uint8_t>(group->value);
  return true;
}

std::optional<std::array<uint8_t, 16>> parse_v6(std::string_view text, IpNotation& notation) {
  Groups groups;
  if (text.starts_with("::")) {
    groups.gap = 0;
    text.remove_prefix(2);
  }
  while (groups.size < 16 && !text.empty()) {
    if (!take_group(text, groups, notation)) return std::nullopt;
    if (text.empty()) break;
    if (!take(text, ':') || text.empty()) return std::nullopt;
    if (take(text, ':')) {
      if (groups.gap) return std::nullopt;
      groups.gap = groups.size;
    }
  }
  if (!text.empty()) return std::nullopt;
  // A gap stands for one group at least.
  if (groups.gap.has_value() == (groups.size == 16)) return std::nullopt;
  if (groups.gap) {
    const auto start = groups.bytes.begin() + static_cast<ptrdiff_t>(*groups.gap);
    const auto end = groups.bytes.begin() + static_cast<ptrdiff_t>(groups.size);
    std::move_backward(start, end, groups.bytes.end());
    std::fill(start, start + static_cast<ptrdiff_t>(16 - groups.size), uint8_t{0});
  }
  return groups.bytes;
}

std::array<uint8_t, 16> v4_bytes() {
  std::array<uint8_t, 16> bytes{};
  bytes[10] = bytes[11] = 0xFF;
  return bytes;
}

// The longest run of zero groups, of two or more; the first of equals.
struct Run {
  size_t start = 8;
  size_t size = 0;
};

Run longest_zero_run(const std::array<uint16_t, 8>& groups) {
  Run best;
  for (size_t i = 0; i < groups.size();) {
    size_t end = i;
    while (end < groups.size() && groups[end] == 0) ++end;
    if (end - i >= 2 && end - i > best.size) best = {i, end - i};
    i = end + 1;
  }
  return best;
}

std::string v6_text(const std::array<uint8_t, 16>& bytes) {
  std::array<uint16_t, 8> groups{};
  for (size_t i = 0; i < groups.size(); ++i)
    groups[i] = static_cast<uint16_t>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
  const Run gap = longest_zero_run(groups);
  std::string out;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (gap.size > 0 && i == gap.start) {
      out += "::";
      i += gap.size - 1;
      continue;
    }
    if (!out.empty() && out.back() != ':') out += ':';
    out += fmt::format("{:x}", groups[i]);
  }
  return out;
}

IpAddress masked(IpAddress address, unsigned first_bit) {
  for (unsigned bit = first_bit; bit < 128; ++bit)
    address.bytes[bit / 8] &= static_cast<uint8_t>(~(0x80U >> (bit % 8)));
  return address;
}

}  // namespace ip_address

bool IpAddress::is_v4() const {
  const auto v4 = ip_address::v4_bytes();
  return std::equal(bytes.begin(), bytes.begin() + ip_address::kV4Start, v4.begin());
}

std::string IpAddress::str() const {
  if (is_v4()) return fmt::format("{}.{}.{}.{}", bytes[12], bytes[13], bytes[14], bytes[15]);
  return ip_address::v6_text(bytes);
}

std::optional<IpAddress> parse_ip(std::string_view text, IpNotation* notation) {
  IpNotation found;
  const size_t separator = text.find_first_of(".:");
  if (separator == std::string_view::npos) return std::nullopt;
  IpAddress address;
  if (text[separator] == '.') {
    address.bytes = ip_address::v4_bytes();
    if (!ip_address::parse_v4(text, address.bytes.data() + ip_address::kV4Start, found))
      return std::nullopt;
  } else {
    const auto bytes = ip_address::parse_v6(text, found);
    if (!bytes) return std::nullopt;
    address.bytes = *bytes;
    found.v4_in_v6 = address.is_v4();
  }
  if (notation != nullptr) *notation = found;
  return address;
}

IpAddress IpPrefix::base() const { return ip_address::masked(address, v6 ? bits : 96 + bits); }

bool IpPrefix::contains(const IpAddress& other) const {
  return ip_address::masked(other, v6 ? bits : 96 + bits) == base();
}

std::string IpPrefix::str() const {
  const IpAddress first = base();
  // IPv4 within IPv6 comes out as IPv4, as of Go's net.IPNet.
  const bool shortened = v6 && first.is_v4() && bits >= 96;
  return fmt::format("{}/{}", first.str(), shortened ? bits - 96 : bits);
}

std::optional<IpPrefix> parse_prefix(std::string_view text, IpNotation* notation) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  IpNotation found;
  const auto address = parse_ip(text.substr(0, slash), &found);
  if (!address) return std::nullopt;
  const bool v6 = text.substr(0, slash).find(':') != std::string_view::npos;
  std::string_view digits = text.substr(slash + 1);
  if (digits.size() > 1 && digits.front() == '0') found.leading_zeros = true;
  const auto bits = ip_address::take_number(digits, 10, v6 ? 128 : 32);
  if (!bits || !digits.empty()) return std::nullopt;
  if (notation != nullptr) *notation = found;
  return IpPrefix{*address, bits->value, v6};
}

bool overlap(const IpPrefix& a, const IpPrefix& b) {
  return a.v6 == b.v6 && (a.contains(b.base()) || b.contains(a.base()));
}

}  // namespace proa
