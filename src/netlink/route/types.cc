#include "netlink/route/types.h"

#include <fmt/format.h>

#include "base/strings.h"

namespace proa::netlink {

std::string mac_text(const MacAddress& mac) {
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", mac[0], mac[1], mac[2], mac[3],
                     mac[4], mac[5]);
}

std::optional<MacAddress> parse_mac(std::string_view text) {
  MacAddress mac{};
  if (text.size() != 17) return std::nullopt;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i % 3 == 2) {
      if (text[i] != ':') return std::nullopt;
      continue;
    }
    const char digit = text[i];
    int value = -1;
    if (digit >= '0' && digit <= '9') value = digit - '0';
    if (digit >= 'a' && digit <= 'f') value = digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') value = digit - 'A' + 10;
    if (value < 0) return std::nullopt;
    mac[i / 3] = static_cast<uint8_t>(mac[i / 3] << 4 | value);
  }
  return mac;
}

std::string Route::str() const {
  std::string text = destination.str();
  if (gateway) text += " via " + gateway->str();
  text += fmt::format(" link {}", link);
  if (source) text += " src " + source->str();
  if (onlink) text += " onlink";
  if (table != 254) text += fmt::format(" table {}", table);
  if (metric != 0) text += fmt::format(" metric {}", metric);
  if (mtu != 0) text += fmt::format(" mtu {}", mtu);
  return text;
}

bool operator==(const Route& a, const Route& b) {
  return a.destination.base() == b.destination.base() && a.destination.bits == b.destination.bits &&
         a.destination.v6 == b.destination.v6 && a.gateway == b.gateway && a.link == b.link &&
         a.source == b.source && a.onlink == b.onlink && a.table == b.table &&
         a.protocol == b.protocol && a.metric == b.metric && a.mtu == b.mtu;
}

std::string Neighbour::str() const {
  const std::string where = fmt::format(" link {}", link);
  if (forwarding) {
    return mac_text(mac) + where + (address ? " behind " + address->str() : std::string());
  }
  return (address ? address->str() : std::string("?")) + where + " is " + mac_text(mac);
}

}  // namespace proa::netlink
