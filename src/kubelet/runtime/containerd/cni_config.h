#pragma once

#include <string>

namespace proa::kubelet {

// The network of the pods of one node: a bridge, addresses from a range, ports of the host.
struct CniSetup {
  std::string name = "proa";                    // the lists of addresses are kept by it
  std::string bridge = "proa0";                 // the link on the host; 15 bytes at most
  std::string pod_cidr = "10.244.0.0/24";       // IPv4 or IPv6
  std::string state = "/var/lib/cni/networks";  // which addresses are taken
  int mtu = 0;                                  // 0: the plugin's own choice
};

// The text of its conflist. Plugins: bridge with host-local, portmap.
std::string cni_config(const CniSetup& setup);

}  // namespace proa::kubelet
