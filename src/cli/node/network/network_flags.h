#pragma once

#include <string>
#include <vector>

#include "base/net/ip_address.h"
#include "cli/command_line/command.h"
#include "network/model/options.h"

namespace proa::cli {

// The pod network of a node.
struct NetworkSettings {
  std::vector<IpPrefix> pod_cidrs = {};  // of this node; empty: the controllers give it some
  bool encryption = false;
  bool policies = true;  // NetworkPolicies are enforced here
  bool guard = true;     // pods send as themselves only
  network::NetworkOptions options = {};
};

std::vector<Flag> network_flags();

// Whether the values make sense; touches nothing. Errors name the flag.
Result<NetworkSettings> read_network_settings(const Settings& settings);

// "10.0.0.0/8,fd00::/8". kInvalid, with the flag's name, for anything else.
Result<std::vector<IpPrefix>> parse_ranges(std::string_view flag, std::string_view text);

}  // namespace proa::cli
