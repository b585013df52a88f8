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
  bool ipv6 = true;                             // the kernel has IPv6
};

// Its CNI conflist. Plugins: loopback and tuning, bridge with host-local, portmap, bandwidth.
std::string cni_config(const CniSetup& setup);

}  // namespace proa::network
