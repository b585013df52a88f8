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
  EXPECT_FALSE(changes.watch().value());
  std::filesystem::create_directory(folder);
  EXPECT_TRUE(changes.watch().value());
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
  ASSERT_TRUE(changes.watch().value());
  std::filesystem::remove(folder);
  EXPECT_TRUE(changes.changed());
  EXPECT_FALSE(changes.watch().value());
  std::filesystem::create_directory(folder);
  EXPECT_TRUE(changes.watch().value());
  std::ofstream(folder / "a") << "text";
  EXPECT_TRUE(changes.changed());
}

TEST(FolderChanges, ReportsOnceWhyAFolderCannotBeWatched) {
  const testkit::TempDir temporary;
  const std::filesystem::path folder = temporary.file("folder");
  std::filesystem::create_symlink(folder, folder);
  FolderChanges changes = FolderChanges::open(folder).value();
  const Result<bool> failed = changes.watch();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.status().message(),
            "watching " + folder.string() + ": Too many levels of symbolic links");
  EXPECT_FALSE(changes.watch().value());
  std::filesystem::remove(folder);
  EXPECT_FALSE(changes.watch().value());
  std::filesystem::create_symlink(folder, folder);
  EXPECT_FALSE(changes.watch().ok()) << "again, after it was another way";
  std::filesystem::remove(folder);
  std::filesystem::create_directory(folder);
  EXPECT_TRUE(changes.watch().value());
}

}  // namespace
}  // namespace proa
