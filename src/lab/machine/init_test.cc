#include "lab/machine/init.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "lab/machine/service_state.h"
#include "testkit/patience.h"
#include "testkit/process.h"

namespace proa::lab {
namespace {

// A process that runs a shell's command line, or a function, as the service of a machine.
class InitTest : public testing::Test {
 protected:
  void begin(const std::string& line) {
    begin_with([&](Service& service) { service.words = {"/bin/sh", "-c", line}; });
  }
  // A service that reports. It does what it is told by tell(), letter by letter.
  void begin_obedient() {
    begin_with([this](Service& service) {
      service.notify = folder_.file("notify");
      service.function = [this] { obey(); };
    });
  }
  void begin_with(const std::function<void(Service&)>& fill) {
    int reports[2];
    ASSERT_EQ(pipe2(reports, O_CLOEXEC), 0);
    report_ = FileDescriptor(reports[0]);
    FileDescriptor report_end(reports[1]);
    int outputs[2];
    ASSERT_EQ(pipe2(outputs, O_CLOEXEC), 0);
    output_ = FileDescriptor(outputs[0]);
    const FileDescriptor output_end(outputs[1]);
    process_ = fork();
    if (process_ != 0) return;
    commands_.write = {};
    dup2(output_end.get(), STDOUT_FILENO);
    Service service{.state = FileDescriptor(
                        open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600))};
    fill(service);
    run_init(service, std::move(report_end));
    _exit(0);
  }
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    commands_ = {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  }
  void TearDown() override {
    if (process_ <= 0) return;
    kill(process_, SIGTERM);
    waitpid(process_, nullptr, 0);
  }

  static std::string line_of(const FileDescriptor& file) {
    std::string line;
    char byte = 0;
    while (read(file.get(), &byte, 1) == 1 && byte != '\n') line += byte;
    return line;
  }
  std::string next_line() const { return line_of(output_); }
  std::string report() const { return line_of(report_); }
  void tell(char what) const { ASSERT_EQ(write(commands_.write.get(), &what, 1), 1); }
  std::optional<ServiceState> state() const {
    SystemFiles files;
    const auto text = files.read_file(path_, 1 << 10);
    return text.ok() ? parse_service_state(*text) : std::nullopt;
  }
  bool soon_is(const ServiceState& wanted) const {
    return testkit::holds_within(std::chrono::seconds(10), [&] { return state() == wanted; });
  }

 private:
  struct Ends {
    FileDescriptor read = {};
    FileDescriptor write = {};
  };

  void say_ready() const {
    const FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = folder_.file("notify");
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    constexpr std::string_view kText = "READY=1";
    if (sendto(socket.get(), kText.data(), kText.size(), 0,
               reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0) {
      _exit(1);
    }
  }
  void obey() const {
    constexpr std::string_view kBegun = "begun\n";
    if (write(STDOUT_FILENO, kBegun.data(), kBegun.size()) < 0) _exit(1);
    char what = 0;
    while (read(commands_.read.get(), &what, 1) == 1) {
      if (what == kExit) _exit(7);
      if (what == kReady) say_ready();
      if (what != kReadyOfAnother) continue;
      const pid_t other = fork();
      if (other == 0) {
        say_ready();
        _exit(0);
      }
      waitpid(other, nullptr, 0);
    }
  }

 protected:
  static constexpr char kExit = 'x';
  static constexpr char kReady = 'r';
  static constexpr char kReadyOfAnother = 'o';  // a process that the service started

  const testkit::TempDir folder_;
  const std::string path_ = folder_.file("state");
  FileDescriptor output_;
  FileDescriptor report_;
  Ends commands_;
  pid_t process_ = -1;
};

TEST_F(InitTest, StartsAgainWhatFailed) {
  begin("echo begun; exit 3");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(next_line(), "begun");
    EXPECT_EQ(next_line(), "lab: its service ended with code 3");
    EXPECT_EQ(state(),
              (ServiceState{.phase = ServicePhase::kFailing, .restarts = i, .exit_code = 3}));
  }
}

TEST_F(InitTest, SaysThatAServiceFailsUntilItIsReadyAgain) {
  begin_obedient();
  EXPECT_EQ(next_line(), "begun");
  EXPECT_EQ(state(), ServiceState{});
  tell(kReady);
  EXPECT_EQ(report(), "ready");
  EXPECT_TRUE(soon_is({.phase = ServicePhase::kRunning}));
  for (int i = 1; i <= 2; ++i) {
    tell(kExit);
    EXPECT_EQ(next_line(), "lab: its service ended with code 7");
    EXPECT_EQ(next_line(), "begun");
    EXPECT_EQ(state(),
              (ServiceState{.phase = ServicePhase::kFailing, .restarts = i, .exit_code = 7}));
  }
  tell(kReady);
  EXPECT_TRUE(soon_is({.phase = ServicePhase::kRunning, .restarts = 2, .exit_code = 7}));
}

TEST_F(InitTest, BelievesOnlyTheServiceItself) {
  begin_obedient();
  EXPECT_EQ(next_line(), "begun");
  tell(kReadyOfAnother);
  tell(kExit);
  EXPECT_EQ(report(), "its service ended with code 7");
}

TEST_F(InitTest, TellsSignalsAsContainersDo) {
  begin("kill -KILL $$");
  EXPECT_EQ(next_line(), "lab: its service was ended by signal 9");
  EXPECT_EQ(state(), (ServiceState{.phase = ServicePhase::kFailing, .exit_code = 137}));
}

TEST_F(InitTest, LeavesAloneWhatWasStoppedOnPurposeUntilToldOtherwise) {
  begin("echo begun");
  EXPECT_EQ(next_line(), "begun");
  EXPECT_EQ(next_line(), "lab: its service ended with code 0");
  EXPECT_EQ(state(), ServiceState{.phase = ServicePhase::kStopped});
  kill(process_, kStartService);
  EXPECT_EQ(next_line(), "begun");
}

}  // namespace
}  // namespace proa::lab
