#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "base/net/ip_address.h"
#include "base/result.h"

namespace proa::network {

// The pod network of one node: a bridge, address ranges, host ports, bandwidth.
struct CniSetup {
  std::string name = "proa";                    // the lists of addresses are kept by it
  std::string bridge = "proa0";                 // the link on the host; 15 bytes at most
  std::vector<IpPrefix> ranges = {};            // one of each family at most
  std::string state = "/var/lib/cni/networks";  // the addresses in use
  uint32_t mtu = 0;                             // 0: the plugin's own choice
};

// Its CNI conflist. Plugins: bridge with host-local, portmap, bandwidth. (The runtime itself calls
// the loopback plugin for every pod.)
std::string cni_config(const CniSetup& setup);

// The name of our file in the runtime's folder of CNI configurations.
constexpr std::string_view kOwnConfig = "10-proa.conflist";

// Whether the folder has a CNI configuration that is not ours. Then the network is the user's.
Result<bool> has_foreign_config(Files& files, const std::string& folder);

// Writes it unless it is there already; returns whether the file changed.
Result<bool> write_config(Files& files, const std::string& folder, const CniSetup& setup);
// Fails, and says what to install, if the folder has not all plugins that the configuration needs.
Result<void> check_plugins(Files& files, const std::string& folder);
// A missing one is fine.
Result<void> remove_config(Files& files, const std::string& folder);

}  // namespace proa::network
