#include "base/process/spawn.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "testkit/process.h"

namespace proa {
namespace {

constexpr Duration kLong = std::chrono::seconds(20);

TEST(RunToEnd, GivesInputAndTakesOutput) {
  SystemClock clock;
  const auto done =
      run_to_end({"/bin/sh", "-c", "cat; echo wrong >&2; exit 3"}, "in\n", clock, kLong);
  ASSERT_TRUE(done.ok()) << done.status().message();
  EXPECT_EQ(done->exit_code, 3);
  EXPECT_EQ(done->output, "in\nwrong\n");
}

TEST(RunToEnd, MoreThanAPipeHoldsGoesBothWaysAtOnce) {
  SystemClock clock;
  const std::string input(1 << 20, 'x');
  const auto done = run_to_end({"/bin/sh", "-c", "cat"}, input, clock, kLong);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->exit_code, 0);
  EXPECT_EQ(done->output, input.substr(0, 64 * 1024));
}

TEST(RunToEnd, AProgramThatReadsNothingIsNoFailure) {
  SystemClock clock;
  const auto done = run_to_end({"/bin/true"}, std::string(1 << 20, 'x'), clock, kLong);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->exit_code, 0);
}

TEST(RunToEnd, DoesNotWaitForWhatTheProgramLeftBehind) {
  SystemClock clock;
  const Steady begin = clock.steady();
  const auto done = run_to_end({"/bin/sh", "-c", "sleep 5 & echo $!"}, "", clock, kLong);
  ASSERT_TRUE(done.ok());
  EXPECT_LT(clock.steady() - begin, std::chrono::seconds(4));
  kill(std::stoi(done->output), SIGKILL);
}

TEST(RunToEnd, KillsWhatTakesTooLong) {
  SystemClock clock;
  const auto done = run_to_end({"/bin/sleep", "100"}, "", clock, std::chrono::milliseconds(50));
  EXPECT_TRUE(done.is(Reason::kTimeout));
}

TEST(RunToEnd, SaysWhatCanNotBeStarted) {
  SystemClock clock;
  const auto done = run_to_end({"/no/such/program"}, "", clock, kLong);
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.status().message().find("/no/such/program"), std::string::npos);
}

TEST(RunFiltered, TheProgramReadsWhatTheFilterWrites) {
  SystemClock clock;
  const testkit::TempDir folder;
  SystemFiles files;
  const std::string path = folder.path() + "/in";
  ASSERT_TRUE(files.write_file_atomic(path, std::string(1 << 20, 'x'), 0600).ok());
  const auto run = [&](const char* filter, const char* program) {
    const FileDescriptor input(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return run_filtered({"/bin/sh", "-c", filter}, {"/bin/sh", "-c", program}, input.get(), clock,
                        kLong);
  };
  const auto done = run("tr x y", "head -c 3; cat > /dev/null");
  ASSERT_TRUE(done.ok()) << done.status().message();
  EXPECT_EQ(done->exit_code, 0);
  EXPECT_EQ(done->output, "yyy");
  const auto early = run("cat", "head -c 3");
  ASSERT_TRUE(early.ok());
  EXPECT_EQ(early->exit_code, 0) << "the filter may be ended before its end";
  const auto broken = run("echo wrong >&2; exit 1", "cat");
  ASSERT_TRUE(broken.ok());
  EXPECT_EQ(broken->exit_code, 1);
  EXPECT_EQ(broken->output, "wrong\n");
  EXPECT_EQ(run("cat", "exit 3")->exit_code, 3);
  EXPECT_FALSE(run_filtered({"/bin/cat"}, {"/nowhere"}, 0, clock, kLong).ok());
}

TEST(RunToEnd, WhatTheServiceManagerSaysIsNotPassedOn) {
  SystemClock clock;
  ASSERT_EQ(::setenv("NOTIFY_SOCKET", "/run/notify", 1), 0);
  ASSERT_EQ(::setenv("OF_ALL", "here", 1), 0);
  const auto outcome =
      run_to_end({"/bin/sh", "-c", "echo ${NOTIFY_SOCKET-none} $OF_ALL"}, "", clock, kLong);
  ::unsetenv("NOTIFY_SOCKET");
  ::unsetenv("OF_ALL");
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->output, "none here\n");
}

TEST(StartDetached, HasASessionOfItsOwnAndWritesToItsLog) {
  const testkit::TempDir folder;
  const auto pid =
      start_detached({"/bin/sh", "-c", "echo here; exec sleep 100"}, folder.file("log"));
  ASSERT_TRUE(pid.ok());
  const auto process = ProcessHandle::open(*pid);
  ASSERT_TRUE(process.ok());
  EXPECT_EQ(getsid(*pid), *pid);
  SystemFiles files;
  for (int i = 0; i < 1000 && files.read_file(folder.file("log"), 100).value().empty(); ++i) {
    process->wait_for_end(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(files.read_file(folder.file("log"), 100).value(), "here\n");
  EXPECT_NE(process->start_time(), 0u);
  process->signal(SIGKILL);
  EXPECT_TRUE(process->wait_for_end(kLong));
  process->reap();
  EXPECT_EQ(process->start_time(), 0u);
  EXPECT_TRUE(ProcessHandle::open(*pid).is(Reason::kNotFound));
}

TEST(FindProgram, LooksWhereAdministratorsProgramsAre) {
  EXPECT_TRUE(find_program("sh").has_value());
  EXPECT_FALSE(find_program("no-such-program-anywhere").has_value());
}

}  // namespace
}  // namespace proa
