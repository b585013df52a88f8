#include "api/validation/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "api/validation/go_text.h"
#include "base/net/ip_address.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace proa::api {

namespace names {

constexpr size_t kMaxLabel = 63;
constexpr size_t kMaxSubdomain = 253;

constexpr std::string_view kLabelFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kSubdomainFormat =
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
constexpr bool is_lower_or_digit(char c) { return is_lower(c) || is_digit(c); }
constexpr bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }

bool is_path_character(char c) {
  return is_letter_or_digit(c) ||
         std::string_view("/-._~%!$&'()*+,;=:").find(c) != std::string_view::npos;
}

using Allowed = bool (*)(char);

bool consists_of(std::string_view text, Allowed allowed) {
  return std::all_of(text.begin(), text.end(), allowed);
}

// Something of these characters, with stricter rules for its two ends.
bool is_word(std::string_view text, Allowed first, Allowed inner, Allowed last) {
  return !text.empty() && first(text.front()) && last(text.back()) && consists_of(text, inner);
}

bool is_label(std::string_view text) {
  return is_word(
      text, is_lower_or_digit, [](char c) { return is_lower_or_digit(c) || c == '-'; },
      is_lower_or_digit);
}

bool is_label_with_underscore(std::string_view text) {
  if (text.starts_with('_')) text.remove_prefix(1);
  return is_word(
      text, is_lower_or_digit, [](char c) { return is_lower_or_digit(c) || c == '-' || c == '_'; },
      is_lower_or_digit);
}

bool all_parts(std::string_view text, bool (*matches)(std::string_view)) {
  while (true) {
    const size_t dot = text.find('.');
    if (!matches(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_subdomain(std::string_view text) { return all_parts(text, is_label); }

// The name of a label, without its prefix.
bool is_label_name(std::string_view text) {
  return is_word(
      text, is_letter_or_digit,
      [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; },
      is_letter_or_digit);
}

std::string too_long(size_t most, std::string_view unit = "characters") {
  return fmt::format("must be no more than {} {}", most, unit);
}

std::string no_match(std::string_view message, std::string_view format,
                     std::initializer_list<std::string_view> examples) {
  std::string text(message);
  text += " (";
  for (const std::string_view& example : examples)
    text += fmt::format("{}'{}', ", &example == examples.begin() ? "e.g. " : " or ", example);
  text += fmt::format("regex used for validation is '{}')", format);
  return text;
}

std::string label_key_text() {
  return no_match(
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character",
      "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", {"MyName", "my.name", "123-abc"});
}

std::string subdomain_text() {
  return no_match(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
      "'.', and must start and end with an alphanumeric character",
      kSubdomainFormat, {"example.com"});
}

void add_relative_path_problem(std::string_view text, Problems& problems) {
  if (text == ".") {
    problems.emplace_back("must not be '.'");
  } else if (text == "..") {
    problems.emplace_back("must not be '..'");
  } else if (text.starts_with("..")) {
    problems.emplace_back("must not start with '..'");
  }
}

Problems check_path_segment_prefix(std::string_view name) {
  Problems problems;
  for (const char c : {'/', '%'}) {
    if (name.find(c) != std::string_view::npos)
      problems.push_back(fmt::format("may not contain '{}'", c));
  }
  return problems;
}

}  // namespace names

Problems check_dns1123_label(std::string_view name) {
  Problems problems;
  if (name.size() > names::kMaxLabel) problems.push_back(names::too_long(names::kMaxLabel));
  if (names::is_label(name)) return problems;
  if (names::is_subdomain(name)) {
    problems.emplace_back("must not contain dots");
  } else {
    problems.push_back(names::no_match(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
        "must start and end with an alphanumeric character",
        names::kLabelFormat, {"my-name", "123-abc"}));
  }
  return problems;
}

Problems check_dns1123_subdomain(std::string_view name) {
  Problems problems;
  if (name.size() > names::kMaxSubdomain) problems.push_back(names::too_long(names::kMaxSubdomain));
  if (!names::is_subdomain(name)) problems.push_back(names::subdomain_text());
  return problems;
}

Problems check_dns1123_subdomain_with_underscore(std::string_view name) {
  Problems problems;
  if (name.size() > names::kMaxSubdomain) problems.push_back(names::too_long(names::kMaxSubdomain));
  if (!names::all_parts(name, names::is_label_with_underscore)) {
    problems.push_back(names::no_match(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', "
        "'-' or '.', and must start and end with an alphanumeric character",
        "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*", {"example.com"}));
  }
  return problems;
}

Problems check_dns1035_label(std::string_view name) {
  Problems problems;
  if (name.size() > names::kMaxLabel) problems.push_back(names::too_long(names::kMaxLabel));
  if (!names::is_label(name) || !names::is_lower(name.front())) {
    problems.push_back(names::no_match(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character",
        "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
  }
  return problems;
}

Problems check_path_segment(std::string_view name) {
  if (name == "." || name == "..") return {fmt::format("may not be '{}'", name)};
  return names::check_path_segment_prefix(name);
}

Problems check_generate_name(NameCheck check, std::string_view prefix) {
  if (check == check_path_segment) return names::check_path_segment_prefix(prefix);
  if (prefix.size() < 2 || prefix.back() != '-') return check(prefix);
  // Upstream's maskTrailingDash removes two characters and adds one.
  std::string masked(prefix.substr(0, prefix.size() - 2));
  masked += 'a';
  return check(masked);
}

Problems check_qualified_name(std::string_view name) {
  Problems problems;
  const std::vector<std::string_view> parts = split(name, '/');
  if (parts.size() > 2) {
    return {
        fmt::format("a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. "
                    "'example.com/MyName')",
                    names::label_key_text())};
  }
  if (parts.size() == 2) {
    const std::string_view prefix = parts.front();
    if (prefix.empty()) {
      problems.emplace_back("prefix part must be non-empty");
    } else {
      if (prefix.size() > names::kMaxSubdomain)
        problems.push_back("prefix part " + names::too_long(names::kMaxSubdomain, "bytes"));
      if (!names::is_subdomain(prefix))
        problems.push_back("prefix part " + names::subdomain_text());
    }
  }
  const std::string_view own = parts.back();
  if (own.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (own.size() > names::kMaxLabel) {
    problems.push_back("name part " + names::too_long(names::kMaxLabel, "bytes"));
  }
  if (!names::is_label_name(own)) problems.push_back("name part " + names::label_key_text());
  return problems;
}

Problems check_label_value(std::string_view value) {
  Problems problems;
  if (value.size() > names::kMaxLabel)
    problems.push_back(names::too_long(names::kMaxLabel, "bytes"));
  if (!value.empty() && !names::is_label_name(value)) {
    problems.push_back(names::no_match(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character",
        "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", {"MyValue", "my_value", "12345"}));
  }
  return problems;
}

Problems check_domain_prefixed_path(std::string_view name) {
  const auto halves = split_once(name, '/');
  if (!halves || halves->before.empty() || halves->after.empty())
    return {"must be a domain-prefixed path (such as \"acme.io/foo\")"};
  Problems problems = check_dns1123_subdomain(halves->before);
  if (!names::consists_of(halves->after, names::is_path_character)) {
    problems.push_back(names::no_match("Invalid path", "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+", {}));
  }
  return problems;
}

Problems check_c_identifier(std::string_view name) {
  const auto first = [](char c) { return names::is_letter(c) || c == '_'; };
  const auto inner = [](char c) { return names::is_letter_or_digit(c) || c == '_'; };
  if (names::is_word(name, first, inner, inner)) return {};
  return {names::no_match(
      "a valid C identifier must start with alphabetic character or '_', followed by a string of "
      "alphanumeric characters or '_'",
      "[A-Za-z_][A-Za-z0-9_]*", {"my_name", "MY_NAME", "MyName"})};
}

Problems check_environment_name(std::string_view name) {
  if (name.empty()) return {"environment variable name must be non-empty"};
  if (names::consists_of(name, [](char c) { return c >= ' ' && c < 0x7F && c != '='; })) return {};
  return {
      "a valid environment variable name must consist only of printable ASCII characters other "
      "than '='"};
}

Problems check_config_map_key(std::string_view key) {
  Problems problems;
  if (key.size() > names::kMaxSubdomain) problems.push_back(names::too_long(names::kMaxSubdomain));
  const auto allowed = [](char c) {
    return names::is_letter_or_digit(c) || c == '-' || c == '.' || c == '_';
  };
  if (key.empty() || !names::consists_of(key, allowed)) {
    problems.push_back(names::no_match(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        "[-._a-zA-Z0-9]+", {"key.name", "KEY_NAME", "key-name"}));
  }
  names::add_relative_path_problem(key, problems);
  return problems;
}

Problems check_port_name(std::string_view name) {
  constexpr size_t kMost = 15;
  Problems problems;
  if (name.size() > kMost) problems.push_back(names::too_long(kMost));
  const auto allowed = [](char c) { return names::is_lower_or_digit(c) || c == '-'; };
  if (name.empty() || !names::consists_of(name, allowed))
    problems.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (std::none_of(name.begin(), name.end(), names::is_lower))
    problems.emplace_back("must contain at least one letter (a-z)");
  if (name.find("--") != std::string_view::npos)
    problems.emplace_back("must not contain consecutive hyphens");
  if (name.starts_with('-') || name.ends_with('-'))
    problems.emplace_back("must not begin or end with a hyphen");
  return problems;
}

Problems check_range(int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return {};
  return {fmt::format("must be between {} and {}, inclusive", least, most)};
}

Problems check_port_number(int64_t port) { return check_range(port, 1, 65535); }

Problems check_ip(std::string_view address) {
  IpNotation notation;
  if (!parse_ip(address, &notation))
    return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
  // Upstream's strict parser fails on leading zeros before it looks inside.
  if (notation.leading_zeros) return {"must not have leading 0s"};
  if (notation.v4_in_v6) return {"must not be an IPv4-mapped IPv6 address"};
  return {};
}

Problems check_cidr(std::string_view cidr) {
  IpNotation notation;
  const auto prefix = parse_prefix(cidr, &notation);
  if (!prefix) return {"must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"};
  if (notation.leading_zeros) return {"must not have leading 0s in IP or prefix length"};
  if (notation.v4_in_v6) return {"must not have an IPv4-mapped IPv6 address"};
  if (prefix->address != prefix->base()) return {"must not have bits set beyond the prefix length"};
  return {};
}

Problems check_canonical_ip(std::string_view address) {
  Problems problems = check_ip(address);
  if (!problems.empty()) return problems;
  const std::string canonical = parse_ip(address)->str();
  if (address == canonical) return {};
  return {fmt::format("must be in canonical form ({})", quoted(canonical))};
}

Problems check_canonical_cidr(std::string_view cidr) {
  Problems problems = check_cidr(cidr);
  if (!problems.empty()) return problems;
  const std::string canonical = parse_prefix(cidr)->str();
  if (cidr == canonical) return {};
  return {fmt::format("must be in canonical form ({})", quoted(canonical))};
}

Problems check_fully_qualified_domain(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  if (const Problems problems = check_dns1123_subdomain(name); !problems.empty())
    return {join(problems, ",")};
  const std::vector<std::string_view> parts = split(name, '.');
  if (parts.size() < 2) return {"should be a domain with at least two segments separated by dots"};
  for (const std::string_view part : parts) {
    if (const Problems problems = check_dns1123_label(part); !problems.empty())
      return {join(problems, ",")};
  }
  return {};
}

Problems check_wildcard_dns1123_subdomain(std::string_view name) {
  Problems problems;
  if (name.size() > names::kMaxSubdomain) problems.push_back(names::too_long(names::kMaxSubdomain));
  if (!name.starts_with("*.") || !names::is_subdomain(name.substr(2))) {
    problems.push_back(names::no_match(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, "
        "which must consist of lower case alphanumeric characters, '-' or '.' and end with an "
        "alphanumeric character",
        "\\*\\." + std::string(names::kSubdomainFormat), {"*.example.com"}));
  }
  return problems;
}

Problems check_http_header_name(std::string_view name) {
  const auto allowed = [](char c) { return names::is_letter_or_digit(c) || c == '-'; };
  if (!name.empty() && names::consists_of(name, allowed)) return {};
  return {names::no_match("a valid HTTP header must consist of alphanumeric characters or '-'",
                          "[-A-Za-z0-9]+", {"X-Header-Name"})};
}

Problems check_percent(std::string_view text) {
  if (text.size() > 1 && text.back() == '%' &&
      names::consists_of(text.substr(0, text.size() - 1), names::is_digit)) {
    return {};
  }
  return {
      names::no_match("a valid percent string must be a numeric string followed by an ending '%'",
                      "[0-9]+%", {"1%", "93%"})};
}

}  // namespace proa::api
