#include "lab/lab.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace proa::lab {
namespace {

using Names = std::vector<std::string>;

// A folder of labs of which nothing runs.
class LabFolderTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(all_); }
  void TearDown() override { std::filesystem::remove_all(all_); }
  LabContext context() { return {.files = files_, .clock = clock_, .all = all_}; }
  std::string created(const std::string& name) {
    const auto made = Lab::create(context(), {.name = name});
    return made.ok() ? "made" : made.status().message();
  }

  SystemFiles files_;
  SystemClock clock_;
  const std::string all_ = testing::TempDir() + "proa-labs-" + std::to_string(getpid());
};

TEST_F(LabFolderTest, ListsLabsOnly) {
  std::filesystem::create_directory(all_ + "/foreign");
  EXPECT_EQ(*Lab::list(files_, all_), Names());
  EXPECT_EQ(created("one"), "made");
  EXPECT_EQ(*Lab::list(files_, all_), Names{"one"});
}

TEST_F(LabFolderTest, TakesAnEmptyFolderAndNoOther) {
  std::filesystem::create_directory(all_ + "/empty");
  EXPECT_EQ(created("empty"), "made");
  std::filesystem::create_directories(all_ + "/full/of-something");
  EXPECT_EQ(created("full"),
            all_ + "/full is not empty, and no lab; choose another --name or --lab-dir");
}

TEST_F(LabFolderTest, NamesTheFolderInItsHints) {
  EXPECT_EQ(created("one"), "made");
  const std::string flags = " --name one --lab-dir " + all_;
  EXPECT_EQ(created("one"), "there is a lab 'one' already: `proa lab status" + flags +
                                "` shows it, `proa lab down" + flags + "` removes it");
  const auto lab = Lab::open(context(), "one");
  ASSERT_TRUE(lab.ok());
  EXPECT_EQ(lab->first_process("node-1").status().message(),
            "node-1 does not run; `proa lab start node-1" + flags + "` starts it");
}

TEST_F(LabFolderTest, SaysThatItHasNoKubeconfigYet) {
  EXPECT_EQ(created("one"), "made");
  const auto lab = Lab::open(context(), "one");
  ASSERT_TRUE(lab.ok());
  const auto missing = lab->kubeconfig();
  ASSERT_TRUE(missing.is(Reason::kNotFound));
  EXPECT_TRUE(missing.status().message().starts_with("the lab 'one' has no kubeconfig yet"))
      << missing.status().message();
  ASSERT_TRUE(files_.write_file_atomic(lab->paths().kubeconfig, "x", 0600).ok());
  EXPECT_EQ(lab->kubeconfig().value(), lab->paths().kubeconfig);
}

TEST_F(LabFolderTest, RemovesNoFolderThatIsNoLab) {
  std::filesystem::create_directories(all_ + "/full/of-something");
  EXPECT_EQ(Lab::remove(context(), "full").status().reason(), Reason::kNotFound);
  EXPECT_TRUE(std::filesystem::exists(all_ + "/full/of-something"));
}

}  // namespace
}  // namespace proa::lab
