#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace proa {

// An address of either family. IPv4 is in the last four bytes, after ::ffff:, as in Go's net.IP; so
// 1.2.3.4 and ::ffff:1.2.3.4 are equal.
struct IpAddress {
  std::array<uint8_t, 16> bytes{};

  bool is_v4() const;
  // In RFC 5952 notation.
  std::string str() const;
  bool operator==(const IpAddress&) const = default;
  auto operator<=>(const IpAddress&) const = default;
};

// The notation of an address or prefix, if there is more than one.
struct IpNotation {
  bool leading_zeros = false;  // 010.0.0.1 is another address for some C libraries
  bool v4_in_v6 = false;       // ::ffff:1.2.3.4
};

// Accepts leading zeros and IPv4 within IPv6, which old objects may have (netutils.ParseIPSloppy).
std::optional<IpAddress> parse_ip(std::string_view text, IpNotation* notation = nullptr);

// "10.0.0.0/8"
struct IpPrefix {
  IpAddress address;  // as written, with the host bits
  unsigned bits = 0;  // of 32 for IPv4, unless it was written within IPv6
  bool v6 = false;    // written as IPv6

  // The first address of the range.
  IpAddress base() const;
  bool contains(const IpAddress& address) const;
  // "base/bits"
  std::string str() const;
  bool operator==(const IpPrefix&) const = default;
};

std::optional<IpPrefix> parse_prefix(std::string_view text, IpNotation* notation = nullptr);

// Whether an address is in both. Prefixes of different families never overlap.
bool overlap(const IpPrefix& a, const IpPrefix& b);

}  // namespace proa
