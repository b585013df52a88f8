#include "lab/machine/log_end.h"

#include <gtest/gtest.h>

#include "testkit/process.h"

namespace proa::lab {
namespace {

TEST(LogEnd, HasTheLastTenLines) {
  SystemFiles files;
  const testkit::TempDir folder;
  std::string text;
  for (int i = 0; i < 30; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string end = log_end(files, folder.write("log", text));
  EXPECT_TRUE(end.starts_with("\n    line 20\n")) << end;
  EXPECT_TRUE(end.ends_with("\n    line 29")) << end;
  EXPECT_EQ(log_end(files, folder.write("log", "one")), "\n    one");
  EXPECT_EQ(log_end(files, folder.write("log", "\n")), "");
  EXPECT_EQ(log_end(files, folder.file("none")), "");
}

}  // namespace
}  // namespace proa::lab
