#include "kubelet/pod/status/termination_message.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kubelet/runtime/cri/labels.h"

namespace proa::kubelet {
namespace {

constexpr api::UidView kPod("u");

class TerminationMessage : public testing::Test {
 protected:
  TerminationMessage() {
    std::string pattern = testing::TempDir() + "terminationXXXXXX";
    root_ = ::mkdtemp(pattern.data());
    paths_ = std::make_unique<Paths>(root_ + "/kubelet", root_ + "/logs");
    EXPECT_TRUE(files_.make_dirs(paths_->container(kPod, "web"), 0755).ok());
    EXPECT_TRUE(files_.make_dirs(paths_->logs() + "/d/web", 0755).ok());
    ended_.name = "web";
    ended_.attempt = 2;
    ended_.exit_code = 1;
    ended_.log_path = paths_->logs() + "/d/web/2.log";
    ended_.annotations[std::string(cri::kTerminationMessagePath)] = "/dev/termination-log";
  }
  ~TerminationMessage() override {
    const std::string command = "rm -rf " + root_;
    EXPECT_EQ(::system(command.c_str()), 0);  // NOLINT: a folder of the test's own
  }

  void fall_back() {
    ended_.annotations[std::string(cri::kTerminationMessagePolicy)] = "FallbackToLogsOnError";
  }
  void write(const std::string& path, std::string_view text) {
    ASSERT_TRUE(files_.write_file_atomic(path, text, 0644).ok());
  }
  std::string message_file() const { return paths_->container(kPod, "web") + "/2"; }
  std::string read() { return read_termination_message(files_, *paths_, kPod, ended_); }

  std::string root_;
  SystemFiles files_;
  std::unique_ptr<Paths> paths_;
  cri::Container ended_;
};

TEST_F(TerminationMessage, IsTheEndOfTheFile) {
  EXPECT_EQ(read(), "");
  write(message_file(), "out of luck");
  EXPECT_EQ(read(), "out of luck");
  write(message_file(), std::string(5000, 'a') + std::string(4095, 'b') + "c");
  EXPECT_EQ(read(), std::string(4095, 'b') + "c");
  write(message_file(), "bad \xff byte");
  EXPECT_EQ(read(), "bad \xEF\xBF\xBD byte");
}

TEST_F(TerminationMessage, DoesNotFollowLinksNorWaitForPipes) {
  write(root_ + "/secret", "secret");
  ASSERT_EQ(::symlink((root_ + "/secret").c_str(), message_file().c_str()), 0);
  EXPECT_EQ(read().find("secret"), std::string::npos);
  ASSERT_EQ(::unlink(message_file().c_str()), 0);
  ASSERT_EQ(::mkfifo(message_file().c_str(), 0666), 0);
  EXPECT_EQ(read(), "");
}

TEST_F(TerminationMessage, FallsBackToTheLogOfWhoFailed) {
  write(ended_.log_path,
        "2026-01-02T15:04:05.1Z stdout F one\n2026-01-02T15:04:05.2Z stderr F two\n");
  EXPECT_EQ(read(), "");
  fall_back();
  EXPECT_EQ(read(), "one\ntwo\n");
  write(message_file(), "own words");
  EXPECT_EQ(read(), "own words");
  write(message_file(), "");
  EXPECT_EQ(read(), "one\ntwo\n");
  ended_.reason = "ContainerCannotRun";
  EXPECT_EQ(read(), "");
  ended_.reason = "Completed";
  ended_.exit_code = 0;
  EXPECT_EQ(read(), "");
}

TEST_F(TerminationMessage, ReadsOnlyLogs) {
  fall_back();
  write(root_ + "/other", "x stdout F secret\n");
  ended_.log_path = root_ + "/other";
  EXPECT_EQ(read(), "");
  ended_.log_path = paths_->logs() + "/../other";
  EXPECT_EQ(read().find("secret"), std::string::npos);
}

TEST(TailOfLog, HasAtMostEightyLinesAndTwoKilobytes) {
  std::string log;
  for (int line = 0; line < 100; ++line) log += "t stdout F " + std::to_string(line) + "\n";
  const std::string lines = tail_of_log(log);
  EXPECT_TRUE(lines.starts_with("20\n21\n"));
  EXPECT_TRUE(lines.ends_with("\n99\n"));
  EXPECT_EQ(tail_of_log("t stdout F " + std::string(3000, 'x')).size(), 2048u);
  EXPECT_EQ(tail_of_log("t stdout P half \nt stdout F line\n"), "half line\n");
  EXPECT_EQ(tail_of_log("t stdout F \nt stdout F x"), "\nx\n");
  EXPECT_EQ(tail_of_log("rubbish\n\n"), "");
}

}  // namespace
}  // namespace proa::kubelet
