#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "dns/config/settings.h"

namespace proa::dns {

// "Example.org." as "example.org", "." as "."; nullopt if it is no domain name.
std::optional<std::string> parse_zone(std::string_view text);

// Whether a name is that zone or below it. REQUIRES: both as parse_zone() returns them.
bool is_within(std::string_view name, std::string_view zone);

// "10.0.0.2", "10.0.0.2:5353", "fd00::2", "[fd00::2]:53", "fe80::1%eth0", each also behind
// "dns://". Fails for encrypted upstreams, too: to ask them in the clear is not what was wanted.
Result<Upstream> parse_upstream(std::string_view text);

// "30", of seconds, or Go's notation: "1m30s".
std::optional<Duration> parse_seconds(std::string_view text);

}  // namespace proa::dns
