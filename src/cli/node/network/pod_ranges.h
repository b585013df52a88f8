#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "base/net/ip_address.h"
#include "base/result.h"

namespace proa::cli {

// Records the pod ranges of a node in its run folder. kConflict if a running node of another data
// directory on this machine has one that overlaps: packets to pods would take either's bridge.
// `all_run_folders`: the parent of every node's run folder.
Result<void> claim_pod_ranges(Files& files, const std::string& run_folder,
                              const std::vector<IpPrefix>& ranges,
                              const std::string& all_run_folders = "/run");

// What the last claim of this node recorded; empty if there is none. A reboot removes it, as it
// ends the pods.
std::vector<std::string> former_pod_ranges(Files& files, const std::string& run_folder);

}  // namespace proa::cli
