#pragma once

#include <string>
#include <vector>

#include "cli/command_line/command.h"
#include "cli/node/node_paths.h"
#include "kubelet/model/options.h"

namespace proa::cli {

// How a node is set up: what the kubelet takes, and the runtime below it.
struct NodeSettings {
  kubelet::KubeletOptions kubelet = {};
  NodePlace place = {};
  bool own_runtime = true;           // false: somebody else's, behind kubelet.runtime_socket
  std::string default_runtime = {};  // of our own one; empty: the first that is there
  std::string pod_cidr = {};
  Duration start_timeout = std::chrono::seconds(60);
};

// Flags of commands that run a node: upstream's names where it has them.
std::vector<Flag> node_flags();

// REQUIRES: the data directory is there.
Result<NodeSettings> read_node_settings(const Settings& settings);

// "a=1,b=2"; kInvalid, with the flag's name, for anything else.
Result<std::map<std::string, std::string>> parse_pairs(std::string_view flag,
                                                       std::string_view text);

// What a node is called when nobody says: the name of its machine, in lower case.
std::string default_node_name();

}  // namespace proa::cli
