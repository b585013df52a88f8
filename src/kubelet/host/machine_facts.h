#pragma once

#include <string>
#include <vector>

#include "base/files.h"

namespace proa::kubelet {

// What the machine is like, as far as it decides what containers get.
struct MachineFacts {
  int64_t memory_bytes = 0;
  bool cgroup_v2 = false;
  bool has_swap = false;  // cgroups can bound it
  bool has_selinux = false;
  std::vector<std::string> huge_page_sizes = {};  // "2MB"
  // What containers shall not see besides what is hidden from them everywhere.
  std::vector<std::string> hidden_paths = {};
};

// Of this machine; they don't change while it runs.
Result<MachineFacts> read_machine_facts(Files& files, bool cgroup_v2);

}  // namespace proa::kubelet
