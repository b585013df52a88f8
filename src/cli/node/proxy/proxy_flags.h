#pragma once

#include <optional>
#include <vector>

#include "cli/command_line/command.h"
#include "proxy/options.h"

namespace proa::cli {

// Of commands that run the service proxy, alone or as a part of a node.
Flag nodeport_addresses_flag();
// Of commands that run a node.
std::vector<Flag> node_proxy_flags();

// Nullopt: the node has no service proxy. Errors name the flag.
Result<std::optional<proxy::ProxyOptions>> read_node_proxy(const Settings& settings);

// Mode and addresses of node ports, under the names of the flags above.
Result<void> read_proxy_mode(const Settings& settings, proxy::ProxyOptions& options);

}  // namespace proa::cli
