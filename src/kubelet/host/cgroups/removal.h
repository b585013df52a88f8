#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "kubelet/host/cgroups/hierarchy.h"

namespace proa::kubelet {

// Kills these processes and waits until they are over. Those that are gone already are no failure.
Result<void> end_processes(const std::vector<pid_t>& processes);

// Whether a process is in a cgroup or below it. One that is not there has none.
Result<bool> has_processes(Hierarchy& hierarchy, const std::string& path);

// Lets go on what a cgroup and those below it hold frozen: `file` says how it is, and takes
// `thawed`.
Result<void> thaw_cgroup(Hierarchy& hierarchy, const std::string& path, std::string_view file,
                         std::string_view thawed);

// Kills everything in a cgroup and below it, then takes the folders away, deepest first. One that
// is not there is no failure.
Result<void> remove_cgroup(Hierarchy& hierarchy, const std::string& path);

}  // namespace proa::kubelet
