#pragma once

#include <cstddef>
#include <string>

namespace proa {

// What this process may use.
struct Capacity {
  size_t descriptors = 0;  // open files and connections
  size_t memory = 0;       // bytes: of the machine, or of the cgroup if that is less
};

Capacity process_capacity();

// Raises the soft limit on open files to the hard limit: the usual soft limit of 1024 is meant for
// programs that call select(2). Programs that this process starts inherit it.
void raise_descriptor_limit();

// The memory limit of this process's cgroup and of those above it; nothing is mounted: the largest
// number. `root`: of the file system.
size_t cgroup_memory_limit(const std::string& root = "");

}  // namespace proa
