#pragma once

#include <sys/types.h>

#include <set>
#include <string>

#include "base/files.h"
#include "base/result.h"

// A bundle is the folder of one container in containerd's state: TASKS/NAMESPACE/ID.
namespace proa::kubelet {

// The init processes of all containers that have one.
Result<std::set<int64_t>> first_processes(Files& files, const std::string& tasks);

// Removes bundles that a killed containerd had only begun to create or to remove: the next
// containerd cannot. Returns their number. REQUIRES: no containerd runs.
Result<size_t> remove_stray_bundles(Files& files, const std::string& tasks);

}  // namespace proa::kubelet
