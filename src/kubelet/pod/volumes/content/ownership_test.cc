#include "kubelet/pod/volumes/content/ownership.h"

#include "kubelet/host/mounts/folder.h"
#include "testkit/kubelet/volume_fixtures.h"

namespace proa::kubelet {
namespace {

using testing::look_at;
using testing::make_pod;
using testing::mode_at;
using testing::TemporaryFolder;

TEST(UserOfVolumes, IsTheOneThatAllContainersAgreeOn) {
  struct Case {
    const char* name;
    const char* spec;
    std::optional<uid_t> user;
  };
  for (
      const Case& c : {
          Case{"nobody says", R"({"containers":[{}]})", std::nullopt},
          Case{"of the pod", R"({"securityContext":{"runAsUser":7},"containers":[{},{}]})", 7},
          Case{
              "of the container",
              R"({"securityContext":{"runAsUser":7},"containers":[{"securityContext":{"runAsUser":8}}]})",
              8},
          Case{"one says nothing", R"({"containers":[{"securityContext":{"runAsUser":8}},{}]})",
               std::nullopt},
          Case{
              "they differ",
              R"({"securityContext":{"runAsUser":7},"containers":[{}],"initContainers":[{"securityContext":{"runAsUser":8}}]})",
              std::nullopt},
          Case{"root is one too", R"({"securityContext":{"runAsUser":0},"containers":[{}]})", 0},
      }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(user_of_volumes(*make_pod(c.spec)), c.user);
  }
}

class GiveToGroup : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::is_root()) GTEST_SKIP() << "needs root";
    ASSERT_TRUE(make_folders(volume_ + "/inner", 0755).ok());
    testing::put_file(volume_ + "/inner/file", "x");
    testing::put_file(folder_.at("outside"), "x");
    ASSERT_EQ(::chmod((volume_ + "/inner/file").c_str(), 0600), 0);
    ASSERT_EQ(::chmod(folder_.at("outside").c_str(), 0600), 0);
    ASSERT_EQ(::symlink(folder_.at("outside").c_str(), (volume_ + "/link").c_str()), 0);
  }
  TemporaryFolder folder_;
  const std::string volume_ = folder_.at("volume");
};

TEST_F(GiveToGroup, ChangesAllButWhatLinksPointTo) {
  ASSERT_TRUE(give_to_group(volume_, {.group = 4321}).ok());
  for (const char* path : {"", "/inner", "/inner/file", "/link"}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(look_at(volume_ + path).st_gid, 4321u);
  }
  EXPECT_EQ(mode_at(volume_), 02775u);
  EXPECT_EQ(mode_at(volume_ + "/inner"), 02775u);
  EXPECT_EQ(mode_at(volume_ + "/inner/file"), 0660u);
  EXPECT_EQ(mode_at(folder_.at("outside")), 0600u);
  EXPECT_EQ(look_at(folder_.at("outside")).st_gid, 0u);
}

TEST_F(GiveToGroup, LetsTheGroupOnlyReadWhatIsReadOnly) {
  ASSERT_EQ(::chmod(volume_.c_str(), 0700), 0);
  ASSERT_TRUE(give_to_group(volume_, {.group = 4321, .read_only = true}).ok());
  EXPECT_EQ(mode_at(volume_), 02750u);
  EXPECT_EQ(mode_at(volume_ + "/inner/file"), 0640u);
}

TEST_F(GiveToGroup, LooksOnlyAtTheRootOnMismatch) {
  struct Case {
    const char* name;
    gid_t group;
    mode_t mode;
    bool changes;
  };
  const std::string file = volume_ + "/inner/file";
  for (const Case& c :
       {Case{"right", 4321, 02775, false}, Case{"right and more", 4321, 02777, false},
        Case{"other group", 1, 02775, true}, Case{"no setgid", 4321, 0775, true},
        Case{"group may not write", 4321, 02755, true}}) {
    SCOPED_TRACE(c.name);
    ASSERT_EQ(::chown(file.c_str(), 0, 0), 0);
    ASSERT_EQ(::chown(volume_.c_str(), 0, c.group), 0);
    ASSERT_EQ(::chmod(volume_.c_str(), c.mode), 0);
    ASSERT_TRUE(give_to_group(volume_, {.group = 4321, .only_on_mismatch = true}).ok());
    EXPECT_EQ(look_at(file).st_gid, c.changes ? 4321u : 0u);
  }
}

}  // namespace
}  // namespace proa::kubelet
