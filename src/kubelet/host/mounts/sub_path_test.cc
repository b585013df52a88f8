#include "kubelet/host/mounts/sub_path.h"

#include <fcntl.h>

#include <atomic>
#include <thread>

#include "kubelet/host/mounts/folder.h"
#include "kubelet/host/mounts/mount_calls.h"
#include "testkit/kubelet/volume_fixtures.h"

namespace proa::kubelet {
namespace {

using testing::file_text;
using testing::is_there;
using testing::put_file;
using testing::TemporaryFolder;

class SubPath : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_folders(volume_ + "/inside/deep", 0755).ok());
    ASSERT_TRUE(make_folders(folder_.at("secret"), 0755).ok());
    put_file(volume_ + "/inside/file", "own");
    put_file(folder_.at("secret/file"), "other");
  }
  void link(const std::string& target, const std::string& name) {
    ASSERT_EQ(::symlink(target.c_str(), (volume_ + "/" + name).c_str()), 0);
  }

  TemporaryFolder folder_;
  const std::string volume_ = folder_.at("volume");
};

TEST_F(SubPath, StaysInTheVolume) {
  link("inside", "good");
  link("../secret", "up");
  link(folder_.at("secret"), "absolute");
  link("inside/../../secret", "winding");
  link("nothing", "dangling");
  link("/proc/self/root", "magic");
  link("loop", "loop");
  struct Case {
    const char* path;
    bool opens;
  };
  for (const Case& c :
       {Case{"inside", true}, Case{"inside/deep", true}, Case{"inside/file", true},
        Case{"good/file", true}, Case{"new", true}, Case{"good/new/er", true},
        Case{"./inside//deep/", true}, Case{"up", false}, Case{"up/file", false},
        Case{"up/new", false}, Case{"absolute", false}, Case{"absolute/new", false},
        Case{"winding", false}, Case{"dangling", false}, Case{"magic/tmp", false},
        Case{"loop", false}, Case{"inside/file/new", false}, Case{"../secret", false}}) {
    SCOPED_TRACE(c.path);
    EXPECT_EQ(open_sub_path(volume_, c.path).ok(), c.opens);
  }
  EXPECT_TRUE(is_there(volume_ + "/inside/new/er"));
  EXPECT_FALSE(is_there(folder_.at("secret/new")));
}

TEST_F(SubPath, MakesFoldersWithTheModeOfTheVolume) {
  ASSERT_EQ(::chmod(volume_.c_str(), 02775), 0);
  ASSERT_TRUE(open_sub_path(volume_, "a/b").ok());
  EXPECT_EQ(testing::mode_at(volume_ + "/a"), 02775u);
  EXPECT_EQ(testing::mode_at(volume_ + "/a/b"), 02775u);
}

// CVE-2021-25741: a pod exchanges a folder for a link while we look.
TEST_F(SubPath, IsNotFooledByASwap) {
  link("../secret", "evil");
  ASSERT_TRUE(make_folders(volume_ + "/target", 0755).ok());
  put_file(volume_ + "/target/file", "own");
  std::atomic<bool> stop = false;
  std::thread racer([&] {
    const std::string a = volume_ + "/target";
    const std::string b = volume_ + "/evil";
    while (!stop) {
      ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
    }
  });
  struct stat wanted = testing::look_at(folder_.at("secret/file"));
  struct stat outside = testing::look_at(folder_.at("secret"));
  int opened = 0;
  for (int i = 0; i < 1000; ++i) {
    for (const char* path : {"target/file", "target", "target/made"}) {
      const Result<FileDescriptor> file = open_sub_path(volume_, path);
      if (!file.ok()) continue;
      ++opened;
      struct stat got {};
      ASSERT_EQ(::fstat(file->get(), &got), 0);
      ASSERT_NE(got.st_ino, wanted.st_ino);
      ASSERT_NE(got.st_ino, outside.st_ino);
    }
  }
  stop = true;
  racer.join();
  EXPECT_GT(opened, 0);
  EXPECT_FALSE(is_there(folder_.at("secret/made")));
}

TEST_F(SubPath, IsBoundByWhatItIsNotByItsName) {
  if (!testing::is_root()) GTEST_SKIP() << "needs root";
  testing::with_own_mounts([this] {
    const std::string target = folder_.at("subpaths/v/c/0");
    const FileDescriptor opened = std::move(*open_sub_path(volume_, "inside"));
    // Exchanged after it was opened, and before it is bound.
    ASSERT_EQ(::rename((volume_ + "/inside").c_str(), (volume_ + "/away").c_str()), 0);
    link("../secret", "inside");
    ASSERT_TRUE(bind_sub_path(opened.get(), target).ok());
    EXPECT_EQ(file_text(target + "/file"), "own");
    // Once more changes nothing.
    ASSERT_TRUE(bind_sub_path(opened.get(), target).ok());
    ASSERT_TRUE(unmount_inside(folder_.path(), "subpaths/v/c/0").ok());
    EXPECT_FALSE(*is_mount_point(target));
  });
}

TEST_F(SubPath, ReplacesWhatWasBoundBefore) {
  if (!testing::is_root()) GTEST_SKIP() << "needs root";
  testing::with_own_mounts([this] {
    const std::string target = folder_.at("subpaths/v/c/0");
    ASSERT_TRUE(bind_sub_path(open_sub_path(volume_, "inside")->get(), target).ok());
    ASSERT_TRUE(bind_sub_path(open_sub_path(volume_, "inside/file")->get(), target).ok());
    EXPECT_EQ(file_text(target), "own");
    ASSERT_TRUE(bind_sub_path(open_sub_path(volume_, "inside/deep")->get(), target).ok());
    EXPECT_TRUE(S_ISDIR(testing::look_at(target).st_mode));
    ASSERT_TRUE(unmount_inside(folder_.path(), "subpaths/v/c/0").ok());
    EXPECT_FALSE(*is_mount_point(target));
  });
}

}  // namespace
}  // namespace proa::kubelet
