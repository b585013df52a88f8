#include "kubelet/node/server/system_logs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "testkit/kubelet/test_machine.h"

namespace proa::kubelet {
namespace {

using Parts = std::vector<std::string>;

std::string read_all(const std::string& folder, const Parts& parts) {
  const Result<SystemLog> log = open_system_log(folder, parts);
  if (!log) return log.is(Reason::kNotFound) ? "not found" : log.status().message();
  if (log->file == nullptr) return log->page;
  std::string text;
  for (;;) {
    const auto part = log->file->next({.deadline = Steady::max()});
    if (!part || !*part) return text;
    text += **part;
  }
}

TEST(OpenSystemLog, ServesFilesAndFolders) {
  TestMachine machine;
  const std::string long_text(200'000, 'x');
  machine.write("/log/messages", long_text);
  machine.write("/log/pods/a:b/0.log", "one\n");
  machine.write("/log/<i>&", "");
  const std::string folder = machine.path() + "/log";
  EXPECT_EQ(read_all(folder, {"messages"}), long_text);
  EXPECT_EQ(read_all(folder, {"pods", "a:b", "0.log"}), "one\n");
  EXPECT_EQ(read_all(folder, {""}),
            "<!doctype html>\n<pre>\n"
            "<a href=\"%3Ci%3E%26\">&lt;i&gt;&amp;</a>\n"
            "<a href=\"messages\">messages</a>\n"
            "<a href=\"pods/\">pods/</a>\n</pre>\n");
}

TEST(OpenSystemLog, DoesNotLeaveItsFolder) {
  TestMachine machine;
  machine.write("/secret", "hidden");
  machine.write("/log/pods/0.log", "one\n");
  const std::string folder = machine.path() + "/log";
  std::filesystem::create_symlink("pods/0.log", folder + "/inside");
  std::filesystem::create_symlink("../secret", folder + "/outside");
  std::filesystem::create_symlink(machine.path() + "/secret", folder + "/absolute");
  ASSERT_EQ(mkfifo((folder + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_all(folder, {"inside"}), "one\n");
  for (const Parts& parts : {Parts{"outside"},
                             {"absolute"},
                             {"..", "secret"},
                             {"."},
                             {"pipe"},
                             {"a/../../secret"},
                             {"missing"},
                             {std::string("a\0b", 3)}}) {
    EXPECT_EQ(read_all(folder, parts), "not found") << parts[0];
  }
  EXPECT_EQ(read_all(machine.path() + "/none", {}), "not found");
}

}  // namespace
}  // namespace proa::kubelet
