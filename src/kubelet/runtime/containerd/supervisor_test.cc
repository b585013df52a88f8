#include "kubelet/runtime/containerd/supervisor.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "kubelet/runtime/containerd/socket_check.h"
#include "testkit/patience.h"
#include "testkit/process.h"

namespace proa::kubelet {
namespace {

// A socket on which this process listens in the daemon's place: the daemons of these tests sleep.
class Listener {
 public:
  explicit Listener(const std::string& path)
      : path_(path), file_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    EXPECT_EQ(bind(file_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(file_.get(), 100), 0);
  }
  ~Listener() { unlink(path_.c_str()); }

 private:
  std::string path_;
  FileDescriptor file_;
};

class SupervisorTest : public testing::Test {
 protected:
  Supervisor::Options options() {
    Supervisor::Options options;
    options.words = {"/bin/sleep", "1000"};
    options.socket = folder_.file("socket");
    options.pid_file = folder_.file("pid");
    options.log_file = folder_.file("log");
    return options;
  }

  // Starts it, and listens once the daemon is there.
  Result<Supervisor::Found> start(Supervisor& supervisor) {
    std::jthread listening([&] {
      SystemFiles files;
      testkit::holds_within(std::chrono::seconds(30),
                            [&] { return files.exists(options().pid_file).value(); });
      listener_.emplace(options().socket);
    });
    return supervisor.start();
  }

  testkit::TempDir folder_;
  SystemFiles files_;
  SystemClock clock_;
  std::optional<Listener> listener_;
};

TEST_F(SupervisorTest, ALongLogIsRotatedWhileTheDaemonWrites) {
  auto wanted = options();
  wanted.words = {"/bin/sh", "-c", "sleep 0.1; while :; do echo line; sleep 0.01; done"};
  Supervisor supervisor(files_, clock_, wanted);
  ASSERT_TRUE(start(supervisor).ok());
  const auto size = [&] { return std::filesystem::file_size(wanted.log_file); };
  ASSERT_TRUE(testkit::holds_within(std::chrono::seconds(10), [&] { return size() > 0; }));
  supervisor.rotate_log();
  EXPECT_FALSE(std::filesystem::exists(wanted.log_file + ".1"));
  constexpr size_t kLong = 8 * 1024 * 1024;
  std::ofstream(wanted.log_file, std::ios::app) << std::string(kLong, 'x');
  supervisor.rotate_log();
  EXPECT_GE(std::filesystem::file_size(wanted.log_file + ".1"), kLong);
  EXPECT_LT(size(), kLong);
  // The daemon's next line is at the beginning, not behind a hole.
  ASSERT_TRUE(testkit::holds_within(std::chrono::seconds(10), [&] { return size() > 0; }));
  EXPECT_EQ(files_.read_file(wanted.log_file, kLong)->find('\0'), std::string::npos);
  supervisor.end();
}

TEST_F(SupervisorTest, StartsWhatDoesNotRunAndEndsItWhenAsked) {
  Supervisor supervisor(files_, clock_, options());
  const auto found = start(supervisor);
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(*found, Supervisor::Found::kStarted);
  const auto process = ProcessHandle::open(supervisor.pid());
  ASSERT_TRUE(process.ok());
  EXPECT_FALSE(process->has_ended());
  supervisor.end();
  EXPECT_TRUE(process->has_ended());
  EXPECT_FALSE(files_.exists(options().pid_file).value());
}

TEST_F(SupervisorTest, WhatAnEarlierStartLeftIsTakenOver) {
  pid_t pid = -1;
  {
    Supervisor first(files_, clock_, options());
    ASSERT_TRUE(start(first).ok());
    pid = first.pid();
    listener_.reset();
  }
  Supervisor second(files_, clock_, options());
  const auto found = start(second);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, Supervisor::Found::kAdopted);
  EXPECT_EQ(second.pid(), pid);
  second.end();
  EXPECT_TRUE(ProcessHandle::open(pid).is(Reason::kNotFound));
}

TEST_F(SupervisorTest, WhatDiesIsStartedAgain) {
  Supervisor supervisor(files_, clock_, options());
  ASSERT_TRUE(start(supervisor).ok());
  const pid_t before = supervisor.pid();
  kill(before, SIGKILL);
  EXPECT_TRUE(
      testkit::holds_within(std::chrono::seconds(5), [&] { return supervisor.pid() != before; }));
  EXPECT_TRUE(ProcessHandle::open(supervisor.pid()).ok());
  supervisor.end();
}

TEST_F(SupervisorTest, TheNextOneWaitsForTheHelpersOfTheOneThatWasKilled) {
  const std::string done = folder_.file("done");
  bool was_done = false;
  bool again = false;
  Supervisor::Options wanted = options();
  wanted.words = {"/bin/sh", "-c", "(sleep 0.4; touch " + done + ") & exec sleep 1000"};
  wanted.before_launch = [&] {
    if (again) was_done = files_.exists(done).value();
    again = true;
  };
  Supervisor supervisor(files_, clock_, wanted);
  ASSERT_TRUE(start(supervisor).ok());
  const pid_t before = supervisor.pid();
  kill(before, SIGKILL);
  EXPECT_TRUE(
      testkit::holds_within(std::chrono::seconds(5), [&] { return supervisor.pid() != before; }));
  supervisor.end();
  EXPECT_TRUE(was_done);
}

TEST_F(SupervisorTest, SomebodyElsesDaemonIsLeftAlone) {
  listener_.emplace(options().socket);
  Supervisor supervisor(files_, clock_, options());
  const auto found = supervisor.start();
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, Supervisor::Found::kForeign);
  supervisor.end();
  EXPECT_EQ(who_listens(options().socket), getpid());
}

TEST_F(SupervisorTest, ADaemonThatEndsAtOnceIsAFailureWithItsLastWords) {
  Supervisor::Options wanted = options();
  wanted.words = {"/bin/sh", "-c", "echo no configuration; exit 1"};
  Supervisor supervisor(files_, clock_, wanted);
  const auto found = supervisor.start();
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.status().message().find("no configuration"), std::string::npos);
}

TEST_F(SupervisorTest, APidFileOfAnotherProcessHarmsNobody) {
  testkit::Process other({"/bin/sleep", "1001"});
  const auto handle = ProcessHandle::open(other.pid());
  ASSERT_TRUE(handle.ok());
  struct Case {
    const char* name;
    std::string content;
  };
  const Case cases[] = {
      {"its number is taken by another program",
       std::to_string(other.pid()) + " " + std::to_string(handle->start_time())},
      {"its number is taken by a later process", std::to_string(other.pid()) + " 1"},
      {"no numbers", "hello"},
      {"everything", "-1 0"},
      {"empty", ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    folder_.write("pid", c.content);
    Supervisor::Options wanted = options();
    wanted.words = {"/bin/false", "--config"};
    Supervisor supervisor(files_, clock_, wanted);
    EXPECT_FALSE(supervisor.start().ok());
    EXPECT_FALSE(handle->has_ended());
  }
}

TEST_F(SupervisorTest, CleaningUpEndsWhatThePidFileNames) {
  pid_t pid = -1;
  {
    Supervisor supervisor(files_, clock_, options());
    ASSERT_TRUE(start(supervisor).ok());
    pid = supervisor.pid();
  }
  ASSERT_TRUE(ProcessHandle::open(pid).ok());
  EXPECT_TRUE(end_supervised(files_, options().pid_file).ok());
  EXPECT_TRUE(ProcessHandle::open(pid).is(Reason::kNotFound));
  EXPECT_TRUE(end_supervised(files_, options().pid_file).ok());
}

}  // namespace
}  // namespace proa::kubelet
