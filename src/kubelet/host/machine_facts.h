#pragma once

#include <string>
#include <vector>

#include "base/files.h"

namespace proa::kubelet {

// Facts about the machine that container configurations depend on.
struct MachineFacts {
  int64_t memory_bytes = 0;
  bool cgroup_v2 = false;
  bool has_swap = false;  // cgroups can limit it
  bool has_selinux = false;
  std::vector<std::string> huge_page_sizes = {};  // "2MB"
  // Paths that are masked in containers besides the usual ones.
  std::vector<std::string> hidden_paths = {};
};

// Of this machine; they do not change at run time.
Result<MachineFacts> read_machine_facts(Files& files, bool cgroup_v2);

}  // namespace proa::kubelet
