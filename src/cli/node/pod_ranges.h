#pragma once

#include "base/files.h"
#include "cli/node/node_paths.h"

namespace proa::cli {

// Records the pod CIDR of a node in its run folder. kConflict if a running node of another data
// directory on this machine has one that overlaps: packets to pods would take either's bridge.
// `all_run_folders`: the parent of every node's run folder.
Result<void> claim_pod_range(Files& files, const NodePaths& place, const std::string& pod_cidr,
                             const std::string& all_run_folders = "/run");

}  // namespace proa::cli
