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

TEST(LastLineOfService, IsThatOfTheOneWhichEndedLast) {
  const struct {
    const char* name;
    const char* text;
    const char* last;
  } cases[] = {
      {"empty", "", ""},
      {"ended", "Proa\nproa node: no token\nlab: its service ended with code 1\n",
       "proa node: no token"},
      {"the next one is starting",
       "proa node: no token\n\nlab: its service ended with code 1\nProa\n", "proa node: no token"},
      {"did not even start",
       "lab: starting /x: No such file\nlab: its service ended with code 127\n", ""},
      {"wrong command line",
       "proa: unknown flag --x\nSee 'proa help node'.\nlab: its service ended with code 2\n",
       "proa: unknown flag --x"},
      {"not ended yet", "Proa\nready\n", "ready"},
  };
  SystemFiles files;
  const testkit::TempDir folder;
  for (const auto& c : cases) {
    EXPECT_EQ(last_line_of_service(files, folder.write("log", c.text)), c.last) << c.name;
  }
  EXPECT_EQ(last_line_of_service(files, folder.file("none")), "");
}

}  // namespace
}  // namespace proa::lab
