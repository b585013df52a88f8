#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/net/ip_address.h"

namespace proa::cli {

// A network that this machine reaches, and through which link.
struct Route {
  IpPrefix network = {};
  std::string link = {};
};

// Of this machine, without default routes and those of the loopback link. What cannot be read is
// left out.
std::vector<Route> own_routes(Files& files);

// `v4` and `v6` as in /proc/net/route and /proc/net/ipv6_route.
std::vector<Route> parse_routes(std::string_view v4, std::string_view v6);

}  // namespace proa::cli
