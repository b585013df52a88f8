#include <string_view>

#include "base/net/ip_address.h"
#include "custom/formats/formats.h"

namespace proa::custom {
namespace uri {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

bool has_escape(std::string_view text, size_t at) {
  return at + 2 < text.size() && is_hex(text[at + 1]) && is_hex(text[at + 2]);
}

bool has_valid_escapes(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && !has_escape(text, i)) return false;
  }
  return true;
}

bool is_optional_port(std::string_view text) {
  if (text.empty()) return true;
  if (text.front() != ':') return false;
  for (const char c : text.substr(1)) {
    if (!is_digit(c)) return false;
  }
  return true;
}

// Letters, digits and marks; escapes only of bytes beyond ASCII, or of "%" itself.
bool is_host(std::string_view text) {
  constexpr std::string_view kMarks = "-_.~!$&'()*+,;=:[]<>\"";
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (!has_escape(text, i)) return false;
      const bool ascii = text[i + 1] < '8';
      if (ascii && text.substr(i, 3) != "%25") return false;
      i += 2;
    } else if (static_cast<unsigned char>(c) < 0x80 && !is_letter(c) && !is_digit(c) &&
               kMarks.find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

// "[::1]", with a zone or not, and a port.
bool is_bracketed(std::string_view text) {
  const size_t end = text.rfind(']');
  if (end == std::string_view::npos || !is_optional_port(text.substr(end + 1))) return false;
  std::string_view address = text.substr(1, end - 1);
  const size_t zone = address.find("%25");
  if (zone != std::string_view::npos) {
    if (!has_valid_escapes(address.substr(zone)) || zone + 3 == address.size()) return false;
    address = address.substr(0, zone);
  }
  IpNotation notation;
  return address.find(':') != std::string_view::npos && parse_ip(address, &notation).has_value() &&
         !notation.leading_zeros;
}

bool is_user_info(std::string_view text) {
  constexpr std::string_view kMarks = "-._:~!$&'()*+,;=%@";
  for (const char c : text) {
    if (!is_letter(c) && !is_digit(c) && kMarks.find(c) == std::string_view::npos) return false;
  }
  return has_valid_escapes(text);
}

bool is_authority(std::string_view text) {
  const size_t mark = text.rfind('@');
  if (mark != std::string_view::npos) {
    if (!is_user_info(text.substr(0, mark))) return false;
    text.remove_prefix(mark + 1);
  }
  if (text.starts_with('[')) return is_bracketed(text);
  const size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && !is_optional_port(text.substr(colon))) return false;
  return is_host(text);
}

// The length of the scheme; npos if the text begins with a colon.
size_t scheme_size(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_letter(c)) continue;
    if (c == ':') return i == 0 ? std::string_view::npos : i;
    const bool inner = is_digit(c) || c == '+' || c == '-' || c == '.';
    if (!inner || i == 0) return 0;
  }
  return 0;
}

}  // namespace uri

bool is_request_uri(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
  }
  if (text.empty()) return false;
  if (text == "*") return true;
  const size_t scheme = uri::scheme_size(text);
  if (scheme == std::string_view::npos) return false;
  if (scheme > 0) text.remove_prefix(scheme + 1);
  text = text.substr(0, text.find('?'));
  // "mailto:someone" is opaque.
  if (!text.starts_with('/')) return scheme > 0;
  if (scheme > 0 && text.starts_with("//")) {
    text.remove_prefix(2);
    const size_t end = text.find('/');
    if (!uri::is_authority(text.substr(0, end))) return false;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  }
  return uri::has_valid_escapes(text);
}

}  // namespace proa::custom
