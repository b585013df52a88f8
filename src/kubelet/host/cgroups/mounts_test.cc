#include "kubelet/host/cgroups/mounts.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

TEST(CgroupMounts, AreThoseOfVersionOne) {
  const CgroupMounts found = find_cgroup_mounts(
      "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "31 23 0:28 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755\n"
      "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:15 - cgroup cgroup rw,cpu,cpuacct\n"
      "33 31 0:29 / /c\\040g rw - cgroup cgroup rw,cpu,cpuacct\n"
      "34 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "35 31 0:31 / /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids\n"
      "36 31 0:32 / /sys/fs/cgroup/systemd rw - cgroup cgroup "
      "rw,xattr,release_agent=/lib/agent,name=systemd\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  EXPECT_FALSE(found.is_v2);
  const std::vector<CgroupMount> expected{{"/c g", {"cpu", "cpuacct"}},
                                          {"/sys/fs/cgroup/memory", {"memory"}},
                                          {"/sys/fs/cgroup/systemd", {"name=systemd"}},
                                          {"/sys/fs/cgroup/unified", {}}};
  EXPECT_EQ(found.mounts, expected);
}

TEST(CgroupMounts, AreOneOfVersionTwo) {
  const CgroupMounts found = find_cgroup_mounts(
      "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  EXPECT_TRUE(found.is_v2);
  const std::vector<CgroupMount> expected{{"/sys/fs/cgroup", {}}};
  EXPECT_EQ(found.mounts, expected);
}

TEST(CgroupMounts, AreNoneWhereThereIsNone) {
  EXPECT_TRUE(find_cgroup_mounts("").mounts.empty());
  EXPECT_TRUE(find_cgroup_mounts("1 2 3 - cgroup\n - \n").mounts.empty());
}

}  // namespace
}  // namespace proa::kubelet
