#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "proxy/metrics.h"
#include "proxy/model/node_facts.h"
#include "proxy/objects/node_state.h"

namespace proa::proxy {

struct ProxyOptions {
  Mode mode = Mode::kNftables;
  std::string node_name = {};
  // Addresses of pods in the whole cluster. Empty: those of this node, as its Node says.
  std::vector<IpPrefix> cluster_ranges = {};
  bool masquerade_all = false;
  // Where node ports are served: at the node's primary addresses, at local addresses of these
  // ranges, or, with no ranges of a family, at all of it.
  bool primary_node_ports = false;
  std::vector<IpPrefix> node_port_ranges = {};
  // Zero as port: not served. Addresses are upstream's defaults.
  std::string healthz_address = "0.0.0.0";
  int healthz_port = 10256;
  std::string metrics_address = "127.0.0.1";
  int metrics_port = 10249;
};

// "nftables", "iptables"
Result<Mode> parse_mode(std::string_view text);
// "primary", or ranges between commas. Empty: the mode's default.
Result<void> parse_node_port_addresses(std::string_view text, ProxyOptions& options);

// `own`: the addresses of this machine.
NodeFacts make_facts(const ProxyOptions& options, const NodeState& node,
                     const std::vector<IpAddress>& own);
std::vector<IpAddress> own_addresses();

}  // namespace proa::proxy
