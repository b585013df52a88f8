#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "cli/node/node_paths.h"

namespace proa::cli {

// Takes away what pods were on the machine besides files: mounts, cgroups with whoever is still in
// them, the bridge, rules of the firewall. `proa up` makes all of it anew. Goes on when something
// fails, and says so at the end. REQUIRES: neither proa nor its containerd runs.
Result<void> remove_traces(const NodePlace& place, Files& files, const Clock& clock);

// That, and the files. What is not ours stays: the lines it returns say what that is.
Result<std::vector<std::string>> remove_leftovers(const NodePlace& place, Files& files,
                                                  const Clock& clock);

// Whether a file of that name in a data directory is Proa's.
bool is_own_file(std::string_view name);

}  // namespace proa::cli
