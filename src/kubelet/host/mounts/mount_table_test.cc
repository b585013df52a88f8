#include "kubelet/host/mounts/mount_table.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

constexpr std::string_view kTable =
    "25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "80 25 0:50 / /k/pods/a/volumes/kubernetes.io~secret/s rw - tmpfs tmpfs rw\n"
    "81 25 8:1 /data /k/pods/a/volumes/kubernetes.io~local-volume/pv rw - ext4 /dev/sda1 rw\n"
    "82 80 8:1 /x /k/pods/a/volumes/kubernetes.io~secret/s/deep/er rw - ext4 /dev/sda1 rw\n"
    "83 25 8:1 /data /k/pods/ab/volumes/with\\040space rw - ext4 /dev/sda1 rw\n"
    "84 83 8:1 /data /k/pods/a/volumes/kubernetes.io~local-volume/pv rw - ext4 /dev/sda1 rw\n"
    "nonsense\n";

TEST(MountTable, ReadsEscapedPaths) {
  const std::vector<KernelMount> table = read_mount_table(kTable);
  ASSERT_EQ(table.size(), 6u);
  EXPECT_EQ(table[4].point, "/k/pods/ab/volumes/with space");
  EXPECT_EQ(table[4].root, "/data");
  EXPECT_EQ(table[4].device, "8:1");
}

TEST(MountTable, HasTheDeepestFirstAndOnlyThoseBelow) {
  const std::vector<std::string> points = mount_points_below(read_mount_table(kTable), "/k/pods/a");
  const std::vector<std::string> expected = {
      "/k/pods/a/volumes/kubernetes.io~secret/s/deep/er",
      "/k/pods/a/volumes/kubernetes.io~secret/s",
      "/k/pods/a/volumes/kubernetes.io~local-volume/pv",
      "/k/pods/a/volumes/kubernetes.io~local-volume/pv",
  };
  EXPECT_EQ(points, expected);
  EXPECT_TRUE(mount_points_below(read_mount_table(kTable), "/k/pods/abc").empty());
}

TEST(MountTable, KnowsWhatIsMountedTwice) {
  const std::vector<KernelMount> table = read_mount_table(kTable);
  EXPECT_TRUE(
      is_mounted_elsewhere(table, "/k/pods/a/volumes/kubernetes.io~local-volume/pv", "/k/pods"));
  EXPECT_FALSE(is_mounted_elsewhere(table, "/k/pods/a/volumes/kubernetes.io~secret/s", "/k/pods"));
  EXPECT_FALSE(is_mounted_elsewhere(table, "/k/pods/ab/volumes/with space", "/other"));
  EXPECT_FALSE(is_mounted_elsewhere(table, "/nowhere", "/k/pods"));
}

}  // namespace
}  // namespace proa::kubelet
