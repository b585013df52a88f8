#pragma once

#include <sys/types.h>

#include <set>
#include <string>

#include "base/files.h"
#include "base/result.h"

// A bundle is the folder of one container that a containerd has begun to make: TASKS/NAMESPACE/ID.
namespace proa::kubelet {

// The first processes of all containers that got as far as to have one.
Result<std::set<int64_t>> first_processes(Files& files, const std::string& tasks);

// Removes those that a killed containerd had only begun to make, or had begun to remove: the next
// one can't. How many there were. REQUIRES: none runs.
Result<size_t> remove_stray_bundles(Files& files, const std::string& tasks);

}  // namespace proa::kubelet
