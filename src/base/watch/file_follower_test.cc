#include "base/watch/file_follower.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "testkit/patience.h"
#include "testkit/process.h"

namespace proa {
namespace {

using namespace std::chrono_literals;

// The first line of a file, as it was last looked at.
class LastSeen {
 public:
  explicit LastSeen(std::string path) : path_(std::move(path)) {}

  Duration look() {
    std::string line;
    std::ifstream file(path_);
    std::getline(file, line);
    const std::lock_guard lock(mutex_);
    seen_ = line;
    ++looks_;
    changed_.notify_all();
    return 24h;
  }
  bool comes_to(const std::string& line) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, testkit::patient(10s),
                             [&] { return looks_ > 0 && seen_ == line; });
  }
  bool looks_often() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, testkit::patient(10s), [&] { return looks_ > 3; });
  }

 private:
  const std::string path_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string seen_;
  int looks_ = 0;
};

void no_failure(const Status& why) { ADD_FAILURE() << why.message(); }

TEST(FileFollower, LooksAtOnceAndAfterEachChange) {
  const testkit::TempDir folder;
  const std::string path = folder.file("settings");
  std::ofstream(path) << "one\n";
  LastSeen seen(path);
  const auto follower = FileFollower::start(
                            path, [&](const std::stop_token&) { return seen.look(); }, no_failure)
                            .value();
  EXPECT_TRUE(seen.comes_to("one"));
  std::ofstream(path) << "two\n";
  EXPECT_TRUE(seen.comes_to("two"));
  // As kubelets and editors replace files.
  std::ofstream(folder.file("next")) << "three\n";
  std::filesystem::rename(folder.file("next"), path);
  EXPECT_TRUE(seen.comes_to("three"));
  std::filesystem::remove(path);
  EXPECT_TRUE(seen.comes_to(""));
}

TEST(FileFollower, SaysOnceWhyTheFolderIsNotWatched) {
  const testkit::TempDir temporary;
  const std::filesystem::path folder = temporary.file("folder");
  std::filesystem::create_symlink(folder, folder);
  std::vector<std::string> failures;
  LastSeen seen(folder / "settings");
  auto follower = FileFollower::start(
                      folder / "settings",
                      [&](const std::stop_token&) {
                        seen.look();
                        return 1ms;
                      },
                      [&](const Status& why) { failures.push_back(why.message()); })
                      .value();
  EXPECT_TRUE(seen.looks_often());
  follower.reset();
  EXPECT_EQ(failures, std::vector<std::string>{"watching " + folder.string() +
                                               ": Too many levels of symbolic links"});
}

TEST(FileFollower, LooksAgainWhenToldTo) {
  const testkit::TempDir folder;
  std::mutex mutex;
  std::condition_variable changed;
  int looks = 0;
  const auto follower = FileFollower::start(
                            folder.file("none"),
                            [&](const std::stop_token&) {
                              const std::lock_guard lock(mutex);
                              ++looks;
                              changed.notify_all();
                              return 1ms;
                            },
                            no_failure)
                            .value();
  std::unique_lock lock(mutex);
  EXPECT_TRUE(changed.wait_for(lock, testkit::patient(10s), [&] { return looks >= 3; }));
}

TEST(FileFollower, EndsALookThatWaits) {
  const testkit::TempDir folder;
  std::mutex mutex;
  std::condition_variable_any changed;
  bool waits = false;
  auto follower = FileFollower::start(
                      folder.file("none"),
                      [&](const std::stop_token& stop) {
                        std::unique_lock lock(mutex);
                        waits = true;
                        changed.notify_all();
                        changed.wait(lock, stop, [] { return false; });
                        return 24h;
                      },
                      no_failure)
                      .value();
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, testkit::patient(10s), [&] { return waits; }));
  }
  follower.reset();
}

}  // namespace
}  // namespace proa
