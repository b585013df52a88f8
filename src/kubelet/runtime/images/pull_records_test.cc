#include "kubelet/runtime/images/pull_records.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

namespace proa::kubelet {
namespace {

PullKey key(const std::string& secret, const std::string& hash) {
  PullKey made;
  made.secret_name = secret;
  made.hash = hash;
  return made;
}

TEST(PullRecords, OpenImagesToThoseWhoCouldPullThem) {
  PullRecords records;
  EXPECT_FALSE(records.is_ours("preloaded", "r:1"));
  const PullKey used = key("a", "1");
  records.pulled("image", "r", &used);
  EXPECT_TRUE(records.is_ours("image", "r:1"));
  EXPECT_FALSE(records.may_use("image", "r", {}));
  EXPECT_FALSE(records.may_use("image", "r", {key("b", "2")}));
  EXPECT_TRUE(records.may_use("image", "r", {key("b", "2"), key("b", "1")}));  // same credentials
  EXPECT_TRUE(records.may_use("image", "r", {key("a", "3")}));                 // same secret
  EXPECT_FALSE(records.may_use("image", "elsewhere", {used}));
  records.pulled("image", "r", nullptr);
  EXPECT_TRUE(records.may_use("image", "r", {}));
  records.keep_only({});
  EXPECT_FALSE(records.is_ours("image", "r:1"));
}

class KeptPullRecords : public testing::Test {
 protected:
  KeptPullRecords() {
    char path[] = "/tmp/proa-pulls-XXXXXX";
    folder = ::mkdtemp(path);
  }
  ~KeptPullRecords() override { std::filesystem::remove_all(folder); }
  PullRecords open() { return PullRecords(PullRecordFiles(files, folder + "/kept")); }

  SystemFiles files;
  std::string folder;
};

TEST_F(KeptPullRecords, AreStillThereAfterARestart) {
  const PullKey used = key("a", "1");
  {
    PullRecords before = open();
    before.begins("r:1");
    before.pulled("sha256:1", "r", &used);
    before.pulled("sha256:2", "r", nullptr);
    before.pulled("sha256:3", "r", &used);
    before.keep_only({{.id = "sha256:1"}, {.id = "sha256:2"}});
    before.ended("r:1", true);
  }
  const PullRecords after = open();
  EXPECT_FALSE(after.may_use("sha256:1", "r", {}));
  EXPECT_TRUE(after.may_use("sha256:1", "r", {key("b", "1")}));
  EXPECT_TRUE(after.may_use("sha256:1", "r", {key("a", "2")}));
  EXPECT_TRUE(after.may_use("sha256:2", "r", {}));
  EXPECT_FALSE(after.is_ours("sha256:3", "r:1")) << "it was gone";
}

// Nobody knows with what it was pulled, if it was.
TEST_F(KeptPullRecords, CloseWhatAnInterruptedPullMayHaveBrought) {
  open().begins("r:1");
  PullRecords after = open();
  EXPECT_TRUE(after.is_ours("sha256:1", "r:1"));
  EXPECT_FALSE(after.is_ours("sha256:1", "r:2"));
  EXPECT_FALSE(after.may_use("sha256:1", "r", {key("a", "1")}));
  after.begins("r:1");
  after.ended("r:1", false);
  EXPECT_TRUE(open().is_ours("sha256:1", "r:1")) << "nothing is clearer than before";
  after.begins("r:1");
  after.pulled("sha256:1", "r", nullptr);
  after.ended("r:1", true);
  EXPECT_TRUE(open().may_use("sha256:1", "r", {}));
  EXPECT_FALSE(open().is_ours("sha256:2", "r:1"));
}

TEST_F(KeptPullRecords, PassOverWhatTheyCantRead) {
  const PullKey used = key("a", "1");
  open().pulled("sha256:1", "r", &used);
  ASSERT_TRUE(files.write_file_atomic(folder + "/kept/pulled/broken", "{", 0600).ok());
  EXPECT_TRUE(open().is_ours("sha256:1", "r:1"));
}

}  // namespace
}  // namespace proa::kubelet
