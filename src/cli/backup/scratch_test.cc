#include "cli/backup/scratch.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "testkit/process.h"

namespace proa::cli {
namespace {

TEST(ScratchDirectory, GoesWithAllThatIsInIt) {
  const testkit::TempDir folder;
  SystemRandom random;
  std::string path;
  {
    const ScratchDirectory scratch(folder.path(), ScratchDirectory::Use::kRestore, random);
    path = scratch.path();
    EXPECT_EQ(path, folder.file(scratch.name()));
    std::filesystem::create_directories(path + "/store/db");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(NewDirectory, GoesUnlessSomethingIsInIt) {
  const testkit::TempDir folder;
  SystemFiles files;
  {
    const auto made = NewDirectory::make(files, folder.file("a/b/c"));
    ASSERT_TRUE(made.ok());
    EXPECT_TRUE(std::filesystem::exists(folder.file("a/b/c")));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("a")));
  {
    const auto made = NewDirectory::make(files, folder.file("a/b"));
    std::filesystem::create_directories(folder.file("a/b/store"));
  }
  EXPECT_TRUE(std::filesystem::exists(folder.file("a/b/store")));
  // One that was there before stays, even if it is empty.
  std::filesystem::create_directories(folder.file("old"));
  { const auto made = NewDirectory::make(files, folder.file("old")); }
  EXPECT_TRUE(std::filesystem::exists(folder.file("old")));
}

TEST(RemoveScratch, TakesLeftoversAndNothingElse) {
  const testkit::TempDir folder;
  for (const char* name : {"store", "tls", "checkpoint-b2c4d5f6g7", "restore-b2c4d5f6g7",
                           "checkpoint-mine", "store.before-restore-20260102T150405Z"}) {
    std::filesystem::create_directories(folder.file(name) + "/db");
  }
  SystemFiles files;
  ASSERT_TRUE(remove_scratch(files, folder.path()).ok());
  EXPECT_EQ(*files.list(folder.path()),
            (std::vector<std::string>{"checkpoint-mine", "store",
                                      "store.before-restore-20260102T150405Z", "tls"}));
}

}  // namespace
}  // namespace proa::cli
