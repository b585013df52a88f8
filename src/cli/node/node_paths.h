#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace proa::cli {

// Paths and names of a node that runs from a data directory. All are derived from that directory,
// so that stop and uninstall find them, and two nodes on one machine do not collide.
struct NodePaths {
  std::string data_dir = {};

  std::string lock = {};             // held by the running process
  std::string kubelet_root = {};     // volumes
  std::string storage = {};          // persistent volumes of local-path storage
  std::string log_folder = {};       // containerd's logs
  std::string log_records = {};      // a link for each pod with logs, to their folder
  std::string foreign_runtime = {};  // records the socket of an external runtime
  // Of Proa's own containerd.
  std::string containerd_root = {};
  std::string containerd_config = {};
  std::string containerd_log = {};
  std::string registries = {};
  std::string cni_folder = {};  // contains the conflist
  std::string run_folder = {};  // state that ends with a reboot: sockets, allocated addresses
  std::string containerd_state = {};
  std::string socket = {};
  std::string pid_file = {};
  std::string cni_state = {};
  std::string network_namespaces = {};
  std::string tasks = {};  // one directory per namespace, one per container in it

  std::string proxy_mode = {};  // records whose rules carry Services

  std::string dns_addresses = {};  // records which addresses DNS added to this machine

  std::string tables = {};        // records which tables iptables(8) had before
  std::string bridge = {};        // name of the bridge and of its network
  std::string tunnel = {};        // name of the VXLAN device
  std::string policy_table = {};  // of nf_tables, with the rules of NetworkPolicies
  std::string cgroup_root = {};
};

// REQUIRES: `data_dir` is absolute and free of symbolic links, so that one directory has one name.
NodePaths node_paths(const std::string& data_dir);

// The same for a directory as given by the user. kNotFound if it does not exist.
Result<NodePaths> find_node_paths(const std::string& data_dir);

}  // namespace proa::cli
