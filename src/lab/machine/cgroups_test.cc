#include "lab/machine/cgroups.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace proa::lab {
namespace {

TEST(ParseHierarchies, ListsControllersOfEach) {
  EXPECT_EQ(parse_hierarchies("2:cpu,cpuacct:/a\n1:name=systemd:/\n0::/x:y\n"),
            (std::vector<std::string>{"cpu,cpuacct", "name=systemd", ""}));
  EXPECT_EQ(parse_hierarchies("0::/user.slice\n"), (std::vector<std::string>{""}));
  EXPECT_TRUE(parse_hierarchies("").empty());
  EXPECT_TRUE(parse_hierarchies("x\n\n1\n").empty());
}

// A cgroup with a name of its own, if this machine lets us make one.
class LabCgroupsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Cgroups::open();
    if (!opened.ok()) GTEST_SKIP() << opened.status().message();
    cgroups_ = std::make_unique<Cgroups>(std::move(*opened));
    const auto made = cgroups_->make(path_ + "/machine");
    if (!made.ok()) GTEST_SKIP() << made.status().message();
  }
  void TearDown() override {
    if (cgroups_ == nullptr) return;
    EXPECT_TRUE(cgroups_->remove(path_).ok());
    EXPECT_FALSE(cgroups_->exists(path_));
  }

  const std::string path_ = "proa-lab-test-" + std::to_string(getpid());
  std::unique_ptr<Cgroups> cgroups_;
};

TEST_F(LabCgroupsTest, HoldAProcessAndEndIt) {
  ASSERT_TRUE(cgroups_->make_leaf(path_ + "/machine", "init").ok());
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const bool joined = cgroups_->join(path_ + "/machine/init").ok();
    if (write(ready[1], joined ? "y" : "n", 1) != 1) _exit(1);
    while (true) pause();
  }
  char answer = 0;
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_EQ(cgroups_->processes(path_), (std::vector<pid_t>{child}));
  EXPECT_TRUE(cgroups_->exists(path_ + "/machine/init"));
  const auto removed = cgroups_->remove(path_);
  EXPECT_TRUE(removed.ok()) << removed.status().message();
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  close(ready[0]);
  close(ready[1]);
}

TEST_F(LabCgroupsTest, AreRemovedTwice) {
  EXPECT_TRUE(cgroups_->remove(path_).ok());
  EXPECT_TRUE(cgroups_->remove(path_).ok());
}

}  // namespace
}  // namespace proa::lab
