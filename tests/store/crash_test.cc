// kill -9 at any time during a write storm: no acknowledged write is lost, and none is partial.
// Also while values are encrypted, get other keys, and are decrypted again.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/random.h"
#include "store/rocks/rocks_store.h"
#include "testkit/encryption/key_changes.h"
#include "testkit/store/storm.h"

namespace proa::store {
namespace crash_test {

using testkit::Storm;
using testkit::StormNote;
using testkit::StormVerifier;

constexpr int kWriters = 32;
constexpr int kWatchers = 4;
constexpr const char* kChildDirectory = "PROA_CRASH_DIRECTORY";
constexpr const char* kChildEncrypts = "PROA_CRASH_ENCRYPTS";
// In every value of a storm, and in nothing encrypted.
constexpr std::string_view kPlain = "xxxxxxxxxxxxxxxxxxxx";
constexpr int kChildPipe = 3;

// A short history, so that it is compacted during the storm, and opening is quick.
RocksOptions options() {
  RocksOptions options;
  options.engine.history_changes = 20'000;
  return options;
}

int rounds() {
  const char* text = std::getenv("PROA_CRASH_ROUNDS");
  return text != nullptr ? std::atoi(text) : 200;
}

// The files below a directory with that text.
std::string holders(const std::string& directory, std::string_view text) {
  std::string found;
  for (const auto& file : std::filesystem::recursive_directory_iterator(directory)) {
    if (!file.is_regular_file()) continue;
    std::ostringstream content;
    content << std::ifstream(file.path(), std::ios::binary).rdbuf();
    if (content.str().find(text) != std::string::npos) found += file.path().string() + " ";
  }
  return found;
}

// Runs in a separate process until it is killed.
TEST(CrashChild, DISABLED_Storm) {
  SystemClock clock;
  SystemRandom random;
  RocksOptions wanted = options();
  const bool encrypts = std::getenv(kChildEncrypts) != nullptr;
  const size_t first = random.below(4);
  if (encrypts) wanted.transformer = testkit::all_keys(first);
  auto store = open_rocks_store(std::getenv(kChildDirectory), clock, random, wanted);
  ASSERT_TRUE(store.ok()) << store.status().message();
  const auto tell = [](const StormNote& note) {
    // Less than PIPE_BUF: each note is written atomically.
    static_cast<void>(::write(kChildPipe, &note, sizeof(note)) == sizeof(note));
  };
  tell({});
  const Storm storm(**store, kWriters, kWatchers, random.next(), tell);
  std::jthread keys;
  if (encrypts) {
    keys = std::jthread(
        [&](const std::stop_token& stop) { testkit::change_keys(**store, first + 1, stop); });
  }
  for (;;) ::pause();
}

struct Child {
  pid_t pid = -1;
  int notes = -1;
};

Child start(const std::string& directory) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  ::setenv(kChildDirectory, directory.c_str(), 1);
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (ends[1] == kChildPipe) {
      ::fcntl(kChildPipe, F_SETFD, 0);
    } else {
      ::dup2(ends[1], kChildPipe);
    }
    ::execl(self.c_str(), self.c_str(), "--gtest_also_run_disabled_tests", "--gtest_brief=1",
            "--gtest_filter=CrashChild.DISABLED_Storm", nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  return {pid, ends[0]};
}

// Reads notes for some time after the first, kills the process, and reads the remaining notes.
bool storm_and_kill(const Child& child, Duration after_ready, StormVerifier& verifier) {
  SystemClock clock;
  Steady deadline = Steady::max();
  bool killed = false;
  bool ready = false;
  std::array<StormNote, 512> notes;
  for (;;) {
    if (!killed && clock.steady() >= deadline) {
      ::kill(child.pid, SIGKILL);
      killed = true;
    }
    pollfd readable{child.notes, POLLIN, 0};
    ::poll(&readable, 1, killed ? -1 : 1);
    if (readable.revents == 0) continue;
    const ssize_t size = ::read(child.notes, notes.data(), sizeof(notes));
    if (size <= 0) break;
    // A pipe may return a part of the last one; the rest follows.
    size_t bytes = static_cast<size_t>(size);
    while (bytes % sizeof(StormNote) != 0) {
      const ssize_t more = ::read(child.notes, reinterpret_cast<char*>(notes.data()) + bytes,
                                  sizeof(StormNote) - bytes % sizeof(StormNote));
      if (more <= 0) break;
      bytes += static_cast<size_t>(more);
    }
    for (size_t i = 0; i < bytes / sizeof(StormNote); ++i) {
      if (notes[i].kind == StormNote::kReady) {
        ready = true;
        deadline = clock.steady() + after_ready;
      } else {
        verifier.note(notes[i]);
      }
    }
  }
  ::close(child.notes);
  int status = 0;
  ::waitpid(child.pid, &status, 0);
  return ready && WIFSIGNALED(status);
}

TEST(Crash, KillLosesNothingThatWasAcknowledged) {
  std::string directory = (std::filesystem::temp_directory_path() / "proa-crash-XXXXXX").string();
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  SystemClock clock;
  SystemRandom random;
  StormVerifier verifier;
  for (int round = 0; round < rounds() && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const auto moment = std::chrono::microseconds(random.below(80'000));
    ASSERT_TRUE(storm_and_kill(start(directory + "/store"), moment, verifier));
    auto store = open_rocks_store(directory + "/store", clock, random, options());
    ASSERT_TRUE(store.ok()) << store.status().message();
    verifier.verify(**store);
  }
  EXPECT_GT(verifier.acknowledged(), static_cast<size_t>(rounds()));
  RecordProperty("acknowledged", static_cast<int>(verifier.acknowledged()));
  std::filesystem::remove_all(directory);
}

TEST(Crash, KillLeavesNothingUnreadableWhileKeysChange) {
  constexpr int kRounds = 20;
  std::string directory = (std::filesystem::temp_directory_path() / "proa-crash-XXXXXX").string();
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  SystemClock clock;
  SystemRandom random;
  StormVerifier verifier;
  RocksOptions wanted = options();
  ::setenv(kChildEncrypts, "1", 1);
  for (int round = 0; round < kRounds && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const auto moment = std::chrono::milliseconds(random.below(400));
    ASSERT_TRUE(storm_and_kill(start(directory + "/store"), moment, verifier));
    wanted.transformer = testkit::all_keys(random.below(4));
    auto store = open_rocks_store(directory + "/store", clock, random, wanted);
    ASSERT_TRUE(store.ok()) << store.status().message();
    verifier.verify(**store);
  }
  ::unsetenv(kChildEncrypts);
  EXPECT_GT(verifier.acknowledged(), static_cast<size_t>(kRounds));

  wanted.transformer = std::make_shared<testkit::TestTransformer>("a-bs");
  {
    auto store = open_rocks_store(directory + "/store", clock, random, wanted);
    ASSERT_TRUE(store.ok()) << store.status().message();
    const auto done = (*store)->reencode([](const ReencodeProgress&) {}, {});
    ASSERT_TRUE(done.ok()) << done.status().message();
    EXPECT_EQ(holders(directory, kPlain), "");
  }
  EXPECT_EQ(holders(directory, kPlain), "");
  wanted.transformer = std::make_shared<testkit::TestTransformer>("a");
  auto store = open_rocks_store(directory + "/store", clock, random, wanted);
  ASSERT_TRUE(store.ok()) << store.status().message();
  verifier.verify(**store);
  std::filesystem::remove_all(directory);
}

}  // namespace crash_test
}  // namespace proa::store
