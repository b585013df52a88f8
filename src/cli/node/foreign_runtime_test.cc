#include "cli/node/foreign_runtime.h"

#include <gtest/gtest.h>

#include "testkit/process.h"

namespace proa::cli {
namespace {

TEST(ForeignRuntime, IsRememberedInTheDataDirectory) {
  const testkit::TempDir folder;
  SystemFiles files;
  const NodePaths place = node_paths(folder.path());
  EXPECT_EQ(foreign_runtime_of(files, place), "");
  ASSERT_TRUE(note_foreign_runtime(files, place, "/run/a.sock").ok());
  ASSERT_TRUE(note_foreign_runtime(files, place, "/run/b.sock").ok());
  EXPECT_EQ(foreign_runtime_of(files, place), "/run/b.sock");
}

}  // namespace
}  // namespace proa::cli
