#pragma once

#include <optional>
#include <string>

#include "base/files.h"
#include "cli/node/node_paths.h"

// The kubeconfig of a joined node: with which server and as whom it speaks, for other commands on
// this machine. Certificates are those that the node keeps up to date.
namespace proa::cli {

Result<void> write_node_kubeconfig(Files& files, const NodePaths& place, const std::string& server,
                                   const std::string& node_name);

struct NodeKubeconfig {
  std::string path = {};
  std::string node_name = {};
};
// Nullopt unless the data directory is that of a joined node.
std::optional<NodeKubeconfig> find_node_kubeconfig(Files& files, const NodePaths& place);

}  // namespace proa::cli
