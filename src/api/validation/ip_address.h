#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace proa::api {

// An address of either family. IPv4 lies in the last four bytes, behind ::ffff:, as Go's net.IP has
// it; so 1.2.3.4 and ::ffff:1.2.3.4 are equal.
struct IpAddress {
  std::array<uint8_t, 16> bytes{};

  bool is_v4() const;
  // As RFC 5952 writes it.
  std::string str() const;
  bool operator==(const IpAddress&) const = default;
  auto operator<=>(const IpAddress&) const = default;
};

// How an address or prefix was written, where there is more than one way.
struct IpNotation {
  bool leading_zeros = false;  // 010.0.0.1 is another address for some C libraries
  bool v4_in_v6 = false;       // ::ffff:1.2.3.4
};

// With leading zeros and IPv4 within IPv6, as old objects may have them (netutils.ParseIPSloppy).
std::optional<IpAddress> parse_ip(std::string_view text, IpNotation* notation = nullptr);

// "10.0.0.0/8"
struct IpPrefix {
  IpAddress address;  // as written, with the bits behind the prefix
  unsigned bits = 0;  // of 32 for IPv4, unless it was written within IPv6
  bool v6 = false;    // written as IPv6

  // The first address of the range.
  IpAddress base() const;
  bool contains(const IpAddress& address) const;
  // "base/bits"
  std::string str() const;
};

std::optional<IpPrefix> parse_prefix(std::string_view text, IpNotation* notation = nullptr);

}  // namespace proa::api
