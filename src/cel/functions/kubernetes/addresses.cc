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

// Why Go does not take a text with dots as an address; empty if it does. `whole`: what the text is
// the end of.
std::string ipv4_error(std::string_view whole, std::string_view text) {
  int value = 0;
  int digits = 0;
  int dots = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      if (digits == 1 && value == 0) {
        return failed(whole, "IPv4 field has octet with leading zero");
      }
      value = value * 10 + (c - '0');
      ++digits;
      if (value > 255) return failed(whole, "IPv4 field has value >255");
    } else if (c == '.') {
      if (i == 0 || i + 1 == text.size() || text[i - 1] == '.') {
        return failed(whole, "IPv4 field must have at least one digit", text.substr(i));
      }
      if (++dots > 3) return failed(whole, "IPv4 address too long");
      value = digits = 0;
    } else {
      return failed(whole, "unexpected character", text.substr(i));
    }
  }
  return dots < 3 ? failed(whole, "IPv4 address too short") : std::string();
}

// The digits of a field of an IPv6 address at the start of a text.
size_t hex_digits(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  return std::min(text.find_first_not_of(kDigits), text.size());
}

// Reads an IPv6 address as Go's netip.parseIPv6 does, for its words.
class Ipv6Reader {
 public:
  Ipv6Reader(std::string_view whole, std::string_view address) : whole_(whole), rest_(address) {}

  // Empty if Go takes the address.
  std::string error() {
    if (rest_.starts_with("::")) {
      ellipsis_ = true;
      rest_.remove_prefix(2);
      if (rest_.empty()) return {};
    }
    while (bytes_ < 16 && !done_) {
      std::string problem = field();
      if (!problem.empty()) return problem;
    }
    if (!rest_.empty()) return failed(whole_, "trailing garbage after address", rest_);
    if (bytes_ < 16 && !ellipsis_) return failed(whole_, "address string too short");
    if (bytes_ == 16 && ellipsis_) {
      return failed(whole_, "the :: must expand to at least one field of zeros");
    }
    return {};
  }

 private:
  std::string field() {
    const size_t digits = hex_digits(rest_);
    if (digits > 4) return failed(whole_, "each group must have 4 or less digits", rest_);
    if (digits == 0) {
      return failed(whole_, "each colon-separated field must have at least one digit", rest_);
    }
    if (digits < rest_.size() && rest_[digits] == '.') return embedded();
    bytes_ += 2;
    rest_.remove_prefix(digits);
    if (rest_.empty()) {
      done_ = true;
      return {};
    }
    if (rest_[0] != ':') return failed(whole_, "unexpected character, want colon", rest_);
    if (rest_.size() == 1) {
      return failed(whole_, "colon must be followed by more characters", rest_);
    }
    rest_.remove_prefix(1);
    if (rest_[0] != ':') return {};
    if (ellipsis_) return failed(whole_, "multiple :: in address", rest_);
    ellipsis_ = true;
    rest_.remove_prefix(1);
    done_ = rest_.empty();
    return {};
  }

  // An IPv4 address at the end.
  std::string embedded() {
    if (!ellipsis_ && bytes_ != 12) {
      return failed(whole_, "embedded IPv4 address must replace the final 2 fields of the address",
                    rest_);
    }
    if (bytes_ + 4 > 16) {
      return failed(whole_, "too many hex fields to fit an embedded IPv4 at the end of the address",
                    rest_);
    }
    std::string problem = ipv4_error(whole_, rest_);
    if (!problem.empty()) return problem;
    rest_ = {};
    bytes_ += 4;
    done_ = true;
    return {};
  }

  std::string_view whole_;
  std::string_view rest_;
  int bytes_ = 0;
  bool ellipsis_ = false;
  bool done_ = false;
};

std::string ipv6_error(std::string_view text) {
  const size_t zone = text.find('%');
  if (zone + 1 == text.size()) return failed(text, "zone must be a non-empty string");
  return Ipv6Reader(text, text.substr(0, zone)).error();
}

}  // namespace addresses

std::string address_error(std::string_view text) {
  using namespace addresses;
  const size_t mark = text.find_first_of(".:%");
  if (mark == std::string_view::npos) return failed(text, "unable to parse IP");
  if (text[mark] == '%') return failed(text, "missing IPv6 address");
  return text[mark] == '.' ? ipv4_error(text, text) : ipv6_error(text);
}

std::optional<IpAddress> parse_address(std::string_view text, std::string& error) {
  const std::string context =
      "IP Address " + api::quoted(text) + " parse error during conversion from string: ";
  const std::string problem = address_error(text);
  if (!problem.empty()) {
    error = context + problem;
    return std::nullopt;
  }
  const size_t zone = text.find('%');
  IpNotation notation;
  const std::optional<IpAddress> address = parse_ip(text.substr(0, zone), &notation);
  if (!address) {
    error = context + addresses::failed(text, "unable to parse IP");
    return std::nullopt;
  }
  if (zone != std::string_view::npos) {
    error = "IP address " + api::quoted(text) + " with zone value is not allowed";
    return std::nullopt;
  }
  if (notation.v4_in_v6 || (text.find(':') != std::string_view::npos && address->is_v4())) {
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
