#include "lab/machine/init.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace proa::lab {
namespace {

// A process that runs a shell's command line as the service of a machine.
class InitTest : public testing::Test {
 protected:
  void begin(const std::string& line) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    output_ = FileDescriptor(ends[0]);
    const FileDescriptor write_end(ends[1]);
    process_ = fork();
    if (process_ != 0) return;
    dup2(write_end.get(), STDOUT_FILENO);
    const Service service{.words = {"/bin/sh", "-c", line},
                          .state = FileDescriptor(
                              open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600))};
    run_init(service, {});
    _exit(0);
  }
  void TearDown() override {
    if (process_ <= 0) return;
    kill(process_, SIGTERM);
    waitpid(process_, nullptr, 0);
    unlink(path_.c_str());
  }
  std::string next_line() const {
    std::string line;
    char byte = 0;
    while (read(output_.get(), &byte, 1) == 1 && byte != '\n') line += byte;
    return line;
  }
  std::string state() const {
    SystemFiles files;
    const auto text = files.read_file(path_, 1 << 10);
    return text.ok() ? *text : text.status().message();
  }

  const std::string path_ = testing::TempDir() + "proa-init-test-" + std::to_string(getpid());
  FileDescriptor output_;
  pid_t process_ = -1;
};

TEST_F(InitTest, StartsAgainWhatFailed) {
  begin("echo begun; exit 3");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(next_line(), "begun");
    EXPECT_EQ(next_line(), "lab: its service ended with code 3");
    EXPECT_EQ(state(), "its service ended with code 3");
  }
}

TEST_F(InitTest, LeavesAloneWhatWasStoppedOnPurposeUntilToldOtherwise) {
  begin("echo begun");
  EXPECT_EQ(next_line(), "begun");
  EXPECT_EQ(next_line(), "lab: its service ended with code 0");
  EXPECT_EQ(state(), kServiceStopped);
  kill(process_, kStartService);
  EXPECT_EQ(next_line(), "begun");
}

}  // namespace
}  // namespace proa::lab
