#include "kubelet/host/mounts/tree_removal.h"

#include <fcntl.h>

#include "kubelet/host/mounts/folder.h"
#include "kubelet/host/mounts/mount_calls.h"
#include "kubelet/host/mounts/tree_walk.h"
#include "testkit/kubelet/volume_fixtures.h"

namespace proa::kubelet {
namespace {

using testing::file_text;
using testing::is_there;
using testing::put_file;
using testing::TemporaryFolder;

TEST(RemoveTree, NeverGoesOverLinks) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_folders(folder.at("outside"), 0755).ok());
  put_file(folder.at("outside/precious"), "gold");
  ASSERT_TRUE(make_folders(folder.at("pod/volumes/a"), 0755).ok());
  ASSERT_EQ(::symlink(folder.at("outside").c_str(), folder.at("pod/volumes/a/link").c_str()), 0);
  ASSERT_EQ(::symlink(folder.at("outside").c_str(), folder.at("link").c_str()), 0);
  ASSERT_TRUE(remove_tree(folder.at("pod")).ok());
  EXPECT_FALSE(is_there(folder.at("pod")));
  ASSERT_TRUE(remove_tree(folder.at("link")).ok());
  EXPECT_FALSE(is_there(folder.at("link")));
  EXPECT_EQ(file_text(folder.at("outside/precious")), "gold");
}

TEST(RemoveTree, TakesWhatIsNotThereForDone) {
  const TemporaryFolder folder;
  EXPECT_TRUE(remove_tree(folder.at("none")).ok());
  EXPECT_TRUE(remove_tree(folder.at("none/deeper")).ok());
  EXPECT_FALSE(remove_tree(folder.at("..")).ok());
  EXPECT_FALSE(remove_tree(folder.at("a/")).ok());
}

// Deeper than any path may be long, as a pod makes it with one mkdir and chdir after the other.
TEST(RemoveTree, RemovesTreesThatNoPathReaches) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_folders(folder.at("deep"), 0755).ok());
  FileDescriptor at = std::move(*open_folder(folder.at("deep")));
  const std::string name(100, 'x');
  for (int i = 0; i < 70; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), name.c_str(), 0700), 0);
    at = FileDescriptor(::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(at.valid());
  }
  ASSERT_TRUE(remove_tree(folder.at("deep")).ok());
  EXPECT_FALSE(is_there(folder.at("deep")));
}

TEST(RemoveTree, LeavesWhatIsMounted) {
  if (!testing::is_root()) GTEST_SKIP() << "needs root";
  const TemporaryFolder folder;
  testing::with_own_mounts([&folder] {
    // Of the same file system: only the mount tells.
    ASSERT_TRUE(make_folders(folder.at("local"), 0755).ok());
    put_file(folder.at("local/precious"), "gold");
    ASSERT_TRUE(make_folders(folder.at("pod/volume"), 0755).ok());
    const FileDescriptor source = std::move(*open_folder(folder.at("local")));
    ASSERT_TRUE(bind_mount(source.get(), folder.at("pod/volume")).ok());
    EXPECT_FALSE(remove_tree(folder.at("pod")).ok());
    EXPECT_EQ(file_text(folder.at("local/precious")), "gold");
    ASSERT_TRUE(unmount_inside(folder.path(), "pod/volume").ok());
    EXPECT_TRUE(remove_tree(folder.at("pod")).ok());
    EXPECT_EQ(file_text(folder.at("local/precious")), "gold");
  });
}

TEST(UnmountInside, GoesOverNoLink) {
  if (!testing::is_root()) GTEST_SKIP() << "needs root";
  const TemporaryFolder folder;
  testing::with_own_mounts([&folder] {
    ASSERT_TRUE(make_folders(folder.at("elsewhere/mounted"), 0755).ok());
    ASSERT_TRUE(make_folders(folder.at("pod"), 0755).ok());
    ASSERT_TRUE(mount_tmpfs(folder.at("elsewhere/mounted"), 0).ok());
    ASSERT_EQ(::symlink("../elsewhere", folder.at("pod/a").c_str()), 0);
    ASSERT_EQ(::symlink("../elsewhere/mounted", folder.at("pod/b").c_str()), 0);
    EXPECT_FALSE(unmount_inside(folder.at("pod"), "a/mounted").ok());
    EXPECT_TRUE(unmount_inside(folder.at("pod"), "b").ok());
    EXPECT_TRUE(*is_mount_point(folder.at("elsewhere/mounted")));
    EXPECT_TRUE(unmount_inside(folder.path(), "elsewhere/mounted").ok());
    EXPECT_FALSE(*is_mount_point(folder.at("elsewhere/mounted")));
  });
}

TEST(DiskUsage, CountsEachFileOnce) {
  const TemporaryFolder folder;
  const int64_t empty = *disk_usage(folder.path());
  put_file(folder.at("a"), std::string(100'000, 'x'));
  const int64_t one = *disk_usage(folder.path());
  EXPECT_GE(one, empty + 100'000);
  ASSERT_EQ(::link(folder.at("a").c_str(), folder.at("b").c_str()), 0);
  ASSERT_EQ(::symlink("/", folder.at("c").c_str()), 0);
  EXPECT_LE(*disk_usage(folder.path()), one + 8192);
  EXPECT_TRUE(disk_usage(folder.at("none")).is(Reason::kNotFound));
}

}  // namespace
}  // namespace proa::kubelet
