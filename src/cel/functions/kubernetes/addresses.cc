#include "cel/functions/kubernetes/addresses.h"

#include <algorithm>

#include "api/validation/go_text.h"
#include "base/strings.h"

namespace proa::cel {
namespace addresses {

std::string failed(std::string_view text, std::string_view message, std::string_view at = {}) {
  std::string error = "ParseAddr(" + api::quoted(text) + "): " + std::string(message);
  if (!at.empty()) error += " (at " + api::quoted(at) + ")";
  return error;
}

// Why Go does not take a text with dots as an address; empty if it does.
std::string ipv4_error(std::string_view text) {
  int value = 0;
  int digits = 0;
  int dots = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      if (digits == 1 && value == 0) {
        return failed(text, "IPv4 field has octet with leading zero");
      }
      value = value * 10 + (c - '0');
      ++digits;
      if (value > 255) return failed(text, "IPv4 field has value >255");
    } else if (c == '.') {
      if (i == 0 || i + 1 == text.size() || text[i - 1] == '.') {
        return failed(text, "IPv4 field must have at least one digit", text.substr(i));
      }
      if (++dots > 3) return failed(text, "IPv4 address too long");
      value = digits = 0;
    } else {
      return failed(text, "unexpected character", text.substr(i));
    }
  }
  return dots < 3 ? failed(text, "IPv4 address too short") : std::string();
}

}  // namespace addresses

std::optional<IpAddress> parse_address(std::string_view text, std::string& error) {
  const size_t mark = text.find_first_of(".:%");
  const std::string context =
      "IP Address " + api::quoted(text) + " parse error during conversion from string: ";
  if (mark == std::string_view::npos) {
    error = context + addresses::failed(text, "unable to parse IP");
    return std::nullopt;
  }
  if (text[mark] == '%') {
    error = context + addresses::failed(text, "missing IPv6 address");
    return std::nullopt;
  }
  if (text[mark] == '.') {
    const std::string problem = addresses::ipv4_error(text);
    if (!problem.empty()) {
      error = context + problem;
      return std::nullopt;
    }
  }
  const size_t zone = text.find('%');
  IpNotation notation;
  const std::optional<IpAddress> address = parse_ip(text.substr(0, zone), &notation);
  if (!address || notation.leading_zeros) {
    error = context + addresses::failed(text, "unable to parse IP");
    return std::nullopt;
  }
  if (zone != std::string_view::npos) {
    error = "IP address " + api::quoted(text) + " with zone value is not allowed";
    return std::nullopt;
  }
  if (notation.v4_in_v6 || (text[mark] == ':' && address->is_v4())) {
    error = "IPv4-mapped IPv6 address " + api::quoted(text) + " is not allowed";
    return std::nullopt;
  }
  return address;
}

std::optional<IpPrefix> parse_network(std::string_view text, std::string& error) {
  const std::string context =
      "network address parse error during conversion from string: netip.ParsePrefix(" +
      api::quoted(text) + "): ";
  const size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) {
    error = context + "no '/'";
    return std::nullopt;
  }
  const std::string_view host = text.substr(0, slash);
  const std::optional<IpAddress> address = parse_address(host, error);
  if (!address) {
    // The words of ParsePrefix around those of ParseAddr.
    const size_t inner = error.find("ParseAddr(");
    if (inner != std::string::npos) {
      error = context + error.substr(inner);
    } else if (error.starts_with("IPv4-mapped")) {
      error = "IPv4-mapped IPv6 address " + api::quoted(text) + " is not allowed";
    } else {
      error = context + "IPv6 zones cannot be present in a prefix";
    }
    return std::nullopt;
  }
  const std::string_view bits_text = text.substr(slash + 1);
  const std::optional<uint64_t> bits = parse_uint(bits_text);
  if (!bits || (bits_text.size() > 1 && bits_text[0] == '0')) {
    error = context + "bad bits after slash: " + api::quoted(bits_text);
    return std::nullopt;
  }
  if (*bits > (address->is_v4() ? 32U : 128U)) {
    error = context + "prefix length out of range";
    return std::nullopt;
  }
  return IpPrefix{
      .address = *address, .bits = static_cast<unsigned>(*bits), .v6 = !address->is_v4()};
}

}  // namespace proa::cel
