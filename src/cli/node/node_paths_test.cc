#include "cli/node/node_paths.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "testkit/process.h"

namespace proa::cli {
namespace {

TEST(NodePlace, TheMachinesOwnClusterHasTheNamesThatPeopleKnow) {
  const NodePlace place = node_place("/var/lib/proa");
  EXPECT_EQ(place.kubelet_root, "/var/lib/proa/kubelet");
  EXPECT_EQ(place.pod_logs, "/var/log/pods");
  EXPECT_EQ(place.socket, "/run/proa/containerd.sock");
  EXPECT_EQ(place.bridge, "proa0");
  EXPECT_EQ(place.cgroup_root, "/");
}

TEST(NodePlace, TwoDataDirectoriesShareNothing) {
  const NodePlace a = node_place("/data/a");
  const NodePlace b = node_place("/data/b");
  EXPECT_NE(a.run_folder, b.run_folder);
  EXPECT_NE(a.bridge, b.bridge);
  EXPECT_NE(a.cgroup_root, b.cgroup_root);
  EXPECT_NE(a.pod_logs, b.pod_logs);
  EXPECT_EQ(a.run_folder, node_place("/data/a").run_folder);
}

TEST(NodePlace, NamesFitWhereTheKernelBoundsThem) {
  const NodePlace place = node_place("/" + std::string(3000, 'x'));
  EXPECT_LE(place.bridge.size(), 15u);
  EXPECT_LT(place.socket.size() + std::string(".ttrpc").size(), 108u);
}

TEST(NodePlace, ADirectoryIsTheSameByEveryPathThatLeadsThere) {
  const testkit::TempDir folder;
  const std::string link = folder.file("link");
  ASSERT_EQ(symlink(folder.path().c_str(), link.c_str()), 0);
  const auto direct = find_node_place(folder.path());
  const auto linked = find_node_place(link + "/.");
  ASSERT_TRUE(direct.ok() && linked.ok());
  EXPECT_EQ(direct->run_folder, linked->run_folder);
  EXPECT_TRUE(find_node_place(folder.file("nowhere")).is(Reason::kNotFound));
}

}  // namespace
}  // namespace proa::cli
