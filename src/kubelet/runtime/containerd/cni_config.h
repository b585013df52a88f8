#pragma once

#include <string>

namespace proa::kubelet {

// The pod network of one node: a bridge, an address range, host ports.
struct CniSetup {
  std::string name = "proa";                    // the lists of addresses are kept by it
  std::string bridge = "proa0";                 // the link on the host; 15 bytes at most
  std::string pod_cidr = "10.244.0.0/24";       // IPv4 or IPv6
  std::string state = "/var/lib/cni/networks";  // the addresses in use
  int mtu = 0;                                  // 0: the plugin's own choice
};

// Its CNI conflist. Plugins: bridge with host-local, portmap.
std::string cni_config(const CniSetup& setup);

}  // namespace proa::kubelet
