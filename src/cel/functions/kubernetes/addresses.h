#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/net/ip_address.h"

namespace proa::cel {

// As Go's net/netip reads them: no leading zeros, no zones. On failure, `error` is in its words.
std::optional<IpAddress> parse_address(std::string_view text, std::string& error);
std::optional<IpPrefix> parse_network(std::string_view text, std::string& error);

// Why netip.ParseAddr does not take a text; empty if it does. Zones are fine here.
std::string address_error(std::string_view text);

}  // namespace proa::cel
