#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace proa::cli {

// Where the things of a node lie that runs from a data directory: all named by that directory
// alone, so that whoever stops or removes it finds them, and two of them on one machine do not
// meet.
struct NodePlace {
  std::string data_dir = {};

  std::string lock = {};          // held by the process that runs from here
  std::string kubelet_root = {};  // volumes
  std::string pod_logs = {};
  std::string log_folder = {};       // of containerd
  std::string foreign_runtime = {};  // a file that names the socket of a runtime of somebody else's
  // Of a containerd of our own.
  std::string containerd_root = {};
  std::string containerd_config = {};
  std::string containerd_log = {};
  std::string registries = {};
  std::string cni_folder = {};  // of the conflist
  std::string run_folder = {};  // what a reboot ends: sockets, addresses that are taken
  std::string containerd_state = {};
  std::string socket = {};
  std::string pid_file = {};
  std::string cni_state = {};
  std::string network_namespaces = {};
  std::string tasks = {};  // a folder for each container, in one for each namespace

  std::string bridge = {};  // the link on the host, and the name of its network
  std::string cgroup_root = {};
};

// REQUIRES: `data_dir` is absolute and leads over no links: the same place has the same name.
NodePlace node_place(const std::string& data_dir);

// The same of a directory as it was given. kNotFound when it is not there.
Result<NodePlace> find_node_place(const std::string& data_dir);

}  // namespace proa::cli
