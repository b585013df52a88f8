#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "cli/node/node_place.h"

namespace proa::cli {

// Takes everything away that a node left on the machine: mounts, cgroups, the bridge, files. Goes
// on when something fails, and says so at the end. What is not ours stays: the lines it returns say
// what that is. REQUIRES: nothing of it runs.
Result<std::vector<std::string>> remove_leftovers(const NodePlace& place, Files& files);

// Whether a file of that name in a data directory is Proa's.
bool is_own_file(std::string_view name);

}  // namespace proa::cli
