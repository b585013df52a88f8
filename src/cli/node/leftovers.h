#pragma once

#include <string>
#include <vector>

#include "api/object/names.h"
#include "base/clock.h"
#include "base/files.h"
#include "cli/node/node_paths.h"

namespace proa::cli {

// Removes the state of pods on the host that is not in files: mounts, cgroups and their processes,
// the bridge, firewall rules. `proa up` recreates it. Continues after failures and reports them at
// the end. REQUIRES: neither proa nor its containerd is running.
Result<void> remove_traces(const NodePaths& place, Files& files, Clock& clock);

// The same, and Proa's files. Returns the paths of foreign files, which are kept.
Result<std::vector<std::string>> remove_leftovers(const NodePaths& place, Files& files,
                                                  Clock& clock);

// The pods that have a folder of volumes. kNotFound if there was never one.
Result<std::vector<api::Uid>> list_own_pods(const NodePaths& place, Files& files);

// Whether a file of that name in a data directory belongs to Proa.
bool is_own_file(std::string_view name);

}  // namespace proa::cli
