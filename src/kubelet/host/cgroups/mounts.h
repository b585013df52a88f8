#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace proa::kubelet {

// Where a cgroup hierarchy is mounted, and its controllers: "cpu", "name=systemd". Empty for
// version 2.
struct CgroupMount {
  std::string path = {};
  std::vector<std::string> controllers = {};
  bool operator==(const CgroupMount&) const = default;
};

struct CgroupMounts {
  bool is_v2 = false;  // then there is one
  std::vector<CgroupMount> mounts = {};
};

// From the text of /proc/self/mountinfo. Of a hierarchy that is mounted twice, the mount with the
// shorter path counts; read-only mounts are left out. A version 2 hierarchy beside version 1 counts
// as one more without controllers: runtimes create folders there too.
CgroupMounts find_cgroup_mounts(std::string_view mountinfo);

}  // namespace proa::kubelet
