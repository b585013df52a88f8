#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "kubelet/host/cgroups/hierarchy.h"

namespace proa::kubelet {

// Kills these processes and waits until they have exited. Missing ones are no failure.
Result<void> end_processes(const std::vector<pid_t>& processes);

// Whether a process is in a cgroup or below it. False if the cgroup does not exist.
Result<bool> has_processes(Hierarchy& hierarchy, const std::string& path);

// Thaws a cgroup and those below it: `file` has the state, and takes `thawed`.
Result<void> thaw_cgroup(Hierarchy& hierarchy, const std::string& path, std::string_view file,
                         std::string_view thawed);

// Kills all processes in a cgroup and below it, then removes the folders, deepest first. One that
// does not exist is no failure.
Result<void> remove_cgroup(Hierarchy& hierarchy, const std::string& path);

}  // namespace proa::kubelet
