#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/net/ip_address.h"
#include "cli/command_line/command.h"
#include "cli/node/network/network_flags.h"
#include "cli/node/node_paths.h"
#include "kubelet/model/options.h"
#include "proxy/options.h"

namespace proa::cli {

// Settings of a node: the kubelet's options and its runtime.
struct NodeSettings {
  kubelet::KubeletOptions kubelet = {};
  NodePaths place = {};
  bool own_runtime = true;           // false: external, at kubelet.runtime_socket
  std::string default_runtime = {};  // of Proa's own containerd; empty: the first one installed
  NetworkSettings network = {};
  std::optional<proxy::ProxyOptions> proxy = {};  // nullopt: another one carries Services
  bool dns = true;                                // answers DNS
  std::vector<IpAddress> dns_addresses = {};      // where; empty: as the cluster says
  Duration start_timeout = std::chrono::seconds(60);
};

// Flags of commands that run a node, with upstream's names where they exist.
std::vector<Flag> node_flags();

// Whether the values make sense; touches nothing. Errors name the flag.
Result<void> check_node_flags(const Settings& settings);

// REQUIRES: the data directory exists.
Result<NodeSettings> read_node_settings(const Settings& settings);

// Parses "a=1,b=2". kInvalid, with the flag's name, for anything else.
Result<std::map<std::string, std::string>> parse_pairs(std::string_view flag,
                                                       std::string_view text);

// The default node name: the host name in lower case.
api::NodeName default_node_name();

}  // namespace proa::cli
