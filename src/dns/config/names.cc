#include "dns/config/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace proa::dns {
namespace names {

constexpr size_t kMostLabel = 63;
constexpr size_t kMostName = 253;
constexpr int64_t kMostSeconds = int64_t{10} * 365 * 24 * 3600;

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= kMostLabel &&
         std::all_of(label.begin(), label.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

Status bad_upstream(std::string_view text, std::string_view why) {
  return Status(Reason::kInvalid, fmt::format("upstream \"{}\" {}", text, why));
}

struct HostPort {
  std::string_view host;
  std::string_view port;  // empty: the usual one
};

std::optional<HostPort> split_port(std::string_view text) {
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view rest = text.substr(end + 1);
    if (!rest.empty() && (rest.front() != ':' || rest.size() == 1)) return std::nullopt;
    return HostPort{text.substr(1, end - 1), rest.empty() ? rest : rest.substr(1)};
  }
  const size_t colon = text.find(':');
  // More than one: IPv6 without a port.
  if (colon == std::string_view::npos || text.find(':', colon + 1) != std::string_view::npos) {
    return HostPort{text, {}};
  }
  if (colon + 1 == text.size()) return std::nullopt;
  return HostPort{text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace names

std::string Upstream::str() const {
  if (address.is_v4()) return fmt::format("{}:{}", address.str(), port);
  return fmt::format("[{}{}{}]:{}", address.str(), link.empty() ? "" : "%", link, port);
}

std::optional<std::string> parse_zone(std::string_view text) {
  if (text == ".") return std::string(text);
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty() || text.size() > names::kMostName) return std::nullopt;
  std::string zone = to_lower(text);
  for (const std::string_view label : split(zone, '.')) {
    if (!names::is_label(label)) return std::nullopt;
  }
  return zone;
}

bool is_within(std::string_view name, std::string_view zone) {
  if (zone == "." || name == zone) return true;
  return name.size() > zone.size() && name.ends_with(zone) &&
         name[name.size() - zone.size() - 1] == '.';
}

Result<Upstream> parse_upstream(std::string_view text) {
  const std::string_view all = text;
  if (const size_t scheme = text.find("://"); scheme != std::string_view::npos) {
    if (text.substr(0, scheme) != "dns") {
      return names::bad_upstream(all, "is encrypted, which is not supported; use a plain address");
    }
    text.remove_prefix(scheme + 3);
  }
  const auto parts = names::split_port(text);
  if (!parts) return names::bad_upstream(all, "is not ADDRESS or ADDRESS:PORT");
  Upstream upstream;
  if (!parts->port.empty()) {
    const auto port = parse_uint(parts->port);
    if (!port || *port == 0 || *port > 65535) {
      return names::bad_upstream(all, "has a port that is not between 1 and 65535");
    }
    upstream.port = static_cast<uint16_t>(*port);
  }
  std::string_view host = parts->host;
  if (const auto link = split_once(host, '%')) {
    host = link->before;
    upstream.link = link->after;
    if (upstream.link.empty() || upstream.link.size() > 15) {
      return names::bad_upstream(all, "has a bad name of a link");
    }
  }
  const auto address = parse_ip(host);
  if (!address || (address->is_v4() && !upstream.link.empty())) {
    return names::bad_upstream(all, "is not an IP address");
  }
  if (*address == IpAddress{} || *address == *parse_ip("0.0.0.0")) {
    return names::bad_upstream(all, "is the unspecified address");
  }
  upstream.address = *address;
  return upstream;
}

std::optional<Duration> parse_seconds(std::string_view text) {
  if (const auto number = parse_int(text)) {
    if (*number < 0 || *number > names::kMostSeconds) return std::nullopt;
    return std::chrono::seconds(*number);
  }
  const Result<Duration> duration = parse_duration(text);
  if (!duration || *duration < Duration(0)) return std::nullopt;
  return *duration;
}

}  // namespace proa::dns
