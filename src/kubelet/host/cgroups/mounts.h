#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace proa::kubelet {

// Where a hierarchy of cgroups is mounted, and the controllers that it has: "cpu", "name=systemd".
// Of version 2: none are listed.
struct CgroupMount {
  std::string path = {};
  std::vector<std::string> controllers = {};
  bool operator==(const CgroupMount&) const = default;
};

struct CgroupMounts {
  bool is_v2 = false;  // then there is one
  std::vector<CgroupMount> mounts = {};
};

// By the text of /proc/self/mountinfo. A hierarchy that is mounted twice counts where its path is
// shorter; what can't be written to is left out. On a machine of version 1 the hierarchy of version
// 2 that may stand beside it is one more without controllers: runtimes make folders there too.
CgroupMounts find_cgroup_mounts(std::string_view mountinfo);

}  // namespace proa::kubelet
