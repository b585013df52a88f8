#include "cli/node/node_paths.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "testkit/process.h"

namespace proa::cli {
namespace {

TEST(NodePaths, TheMachinesOwnClusterHasTheNamesThatPeopleKnow) {
  const NodePaths place = node_paths("/var/lib/proa");
  EXPECT_EQ(place.kubelet_root, "/var/lib/proa/kubelet");
  EXPECT_EQ(place.log_records, "/var/lib/proa/log/pods");
  EXPECT_EQ(place.storage, "/var/lib/proa/storage");
  EXPECT_EQ(place.socket, "/run/proa/containerd.sock");
  EXPECT_EQ(place.bridge, "proa0");
  EXPECT_EQ(place.cgroup_root, "/");
}

TEST(NodePaths, TwoDataDirectoriesShareNothing) {
  const NodePaths a = node_paths("/data/a");
  const NodePaths b = node_paths("/data/b");
  EXPECT_NE(a.run_folder, b.run_folder);
  EXPECT_NE(a.bridge, b.bridge);
  EXPECT_NE(a.cgroup_root, b.cgroup_root);
  EXPECT_NE(a.storage, b.storage);
  EXPECT_EQ(a.run_folder, node_paths("/data/a").run_folder);
}

TEST(NodePaths, NamesFitWhereTheKernelBoundsThem) {
  const NodePaths place = node_paths("/" + std::string(3000, 'x'));
  EXPECT_LE(place.bridge.size(), 15u);
  EXPECT_LT(place.socket.size() + std::string(".ttrpc").size(), 108u);
}

TEST(NodePaths, ADirectoryIsTheSameByEveryPathThatLeadsThere) {
  const testkit::TempDir folder;
  const std::string link = folder.file("link");
  ASSERT_EQ(symlink(folder.path().c_str(), link.c_str()), 0);
  const auto direct = find_node_paths(folder.path());
  const auto linked = find_node_paths(link + "/.");
  ASSERT_TRUE(direct.ok() && linked.ok());
  EXPECT_EQ(direct->run_folder, linked->run_folder);
  EXPECT_TRUE(find_node_paths(folder.file("nowhere")).is(Reason::kNotFound));
}

}  // namespace
}  // namespace proa::cli
