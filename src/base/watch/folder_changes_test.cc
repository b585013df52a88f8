#include "base/watch/folder_changes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "testkit/process.h"

namespace proa {
namespace {

TEST(FolderChanges, ReportsFilesThatComeAndGo) {
  const testkit::TempDir temporary;
  const std::filesystem::path folder = temporary.file("folder");
  FolderChanges changes = FolderChanges::open(folder).value();
  EXPECT_FALSE(changes.watch());
  std::filesystem::create_directory(folder);
  EXPECT_TRUE(changes.watch());
  EXPECT_FALSE(changes.changed());
  std::ofstream(folder / "a") << "text";
  EXPECT_TRUE(changes.changed());
  EXPECT_FALSE(changes.changed());
  std::filesystem::rename(folder / "a", folder / "b");
  EXPECT_TRUE(changes.changed());
  std::filesystem::remove(folder / "b");
  EXPECT_TRUE(changes.changed());
}

TEST(FolderChanges, WatchesAFolderThatCameBack) {
  const testkit::TempDir temporary;
  const std::filesystem::path folder = temporary.file("folder");
  std::filesystem::create_directory(folder);
  FolderChanges changes = FolderChanges::open(folder).value();
  ASSERT_TRUE(changes.watch());
  std::filesystem::remove(folder);
  EXPECT_TRUE(changes.changed());
  EXPECT_FALSE(changes.watch());
  std::filesystem::create_directory(folder);
  EXPECT_TRUE(changes.watch());
  std::ofstream(folder / "a") << "text";
  EXPECT_TRUE(changes.changed());
}

}  // namespace
}  // namespace proa
