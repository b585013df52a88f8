#include "kinds/checks/addresses.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/net/ip_address.h"

namespace proa::kinds {

namespace addresses {

// For IPv4, the last four bytes.
uint8_t v4_byte(const IpAddress& address, size_t index) { return address.bytes[12 + index]; }

bool is_unspecified(const IpAddress& address) {
  return address == IpAddress() || address.str() == "0.0.0.0";
}

bool is_loopback(const IpAddress& address) {
  return address.is_v4() ? v4_byte(address, 0) == 127 : address.str() == "::1";
}

bool is_link_local(const IpAddress& address) {
  if (address.is_v4()) return v4_byte(address, 0) == 169 && v4_byte(address, 1) == 254;
  return address.bytes[0] == 0xfe && (address.bytes[1] & 0xc0) == 0x80;
}

bool is_link_local_multicast(const IpAddress& address) {
  if (!address.is_v4()) return address.bytes[0] == 0xff && (address.bytes[1] & 0x0f) == 0x02;
  return v4_byte(address, 0) == 224 && v4_byte(address, 1) == 0 && v4_byte(address, 2) == 0;
}

bool is_v6_text(std::string_view text) { return text.find(':') != std::string_view::npos; }

}  // namespace addresses

bool is_dual_stack(std::string_view first, std::string_view second) {
  const auto one = parse_ip(first);
  const auto other = parse_ip(second);
  return one && other && one->is_v4() != other->is_v4();
}

void validate_endpoint_address(std::string_view address, const api::Path& path,
                               api::FieldErrors& errors) {
  const auto parsed = parse_ip(address);
  if (!parsed) return errors.invalid(path, address, "must be a valid IP address");
  if (addresses::is_unspecified(*parsed)) {
    errors.invalid(path, address, fmt::format("may not be unspecified ({})", address));
  }
  if (addresses::is_loopback(*parsed)) {
    errors.invalid(path, address, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
  }
  if (addresses::is_link_local(*parsed)) {
    errors.invalid(path, address, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if (addresses::is_link_local_multicast(*parsed)) {
    errors.invalid(path, address,
                   "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
}

void warn_about_address(std::string_view address, const api::Path& path, Warnings& warnings) {
  IpNotation notation;
  const auto parsed = parse_ip(address, &notation);
  if (!parsed) return;
  const std::string right = parsed->str();
  if (notation.leading_zeros || notation.v4_in_v6) {
    warnings.push_back(fmt::format("{}: non-standard IP address \"{}\" is invalid: use \"{}\"",
                                   path.str(), address, right));
  } else if (addresses::is_v6_text(address) && right != address) {
    warnings.push_back(
        fmt::format("{}: IPv6 address \"{}\" should be in RFC 5952 canonical format (\"{}\")",
                    path.str(), address, right));
  }
}

void warn_about_network(std::string_view network, const api::Path& path, Warnings& warnings) {
  IpNotation notation;
  const auto parsed = parse_prefix(network, &notation);
  if (!parsed) return;
  const std::string right = parsed->str();
  const bool has_more_bits = parsed->base() != parsed->address;
  if (has_more_bits) {
    warnings.push_back(fmt::format(
        "{}: CIDR value \"{}\" is ambiguous in this context (should be \"{}\" or \"{}/{}\"?)",
        path.str(), network, right, parsed->address.str(), parsed->v6 ? 128 : 32));
  }
  if (notation.leading_zeros || notation.v4_in_v6) {
    warnings.push_back(fmt::format("{}: non-standard CIDR value \"{}\" is invalid: use \"{}\"",
                                   path.str(), network, right));
  } else if (!has_more_bits && parsed->v6 && right != network) {
    warnings.push_back(
        fmt::format("{}: IPv6 CIDR value \"{}\" should be in RFC 5952 canonical format (\"{}\")",
                    path.str(), network, right));
  }
}

}  // namespace proa::kinds
