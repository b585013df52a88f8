#include "apiserver/front/audit/backends/rotating_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "testkit/fake_clock.h"

namespace proa::apiserver::audit {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using testkit::FakeClock;

class RotatingFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("rotating_file_" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<RotatingFile> open(uint64_t max_bytes, bool compresses = false) {
    Result<std::unique_ptr<RotatingFile>> file =
        RotatingFile::open({.path = (folder_ / "logs" / "audit.log").string(),
                            .max_age_days = 1,
                            .max_backups = 2,
                            .max_bytes = max_bytes,
                            .compresses = compresses},
                           clock_);
    EXPECT_TRUE(file.ok()) << file.status().message();
    return std::move(*file);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_ / "logs"))
      found.push_back(entry.path().filename().string());
    std::ranges::sort(found);
    return found;
  }
  std::string content(const std::string& name) const {
    std::ifstream in(folder_ / "logs" / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  FakeClock clock_;
  fs::path folder_;
};

TEST_F(RotatingFileTest, IsForItsOwnerOnlyAndAppends) {
  ASSERT_TRUE(open(100)->write({"one"}).ok());
  ASSERT_TRUE(open(100)->write({"two", "three"}).ok());
  EXPECT_EQ(content("audit.log"), "one\ntwo\nthree\n");
  struct stat status {};
  ASSERT_EQ(::stat((folder_ / "logs" / "audit.log").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat((folder_ / "logs").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(RotatingFileTest, RotatesBeforeItIsTooLarge) {
  const auto file = open(8);
  ASSERT_TRUE(file->write({"1234567"}).ok());
  EXPECT_EQ(names(), (std::vector<std::string>{"audit.log"}));
  ASSERT_TRUE(file->write({"a"}).ok());
  EXPECT_EQ(names(), (std::vector<std::string>{"audit-2026-01-02T15-04-05.000.log", "audit.log"}));
  EXPECT_EQ(content("audit-2026-01-02T15-04-05.000.log"), "1234567\n");
  EXPECT_EQ(content("audit.log"), "a\n");
  // In the middle of a batch; the same millisecond has two files then.
  ASSERT_TRUE(file->write({"bcd", "efg"}).ok());
  EXPECT_EQ(content("audit-2026-01-02T15-04-05.001.log"), "a\nbcd\n");
  EXPECT_EQ(content("audit.log"), "efg\n");
}

TEST_F(RotatingFileTest, NewFileIsReadableByTheSame) {
  const auto file = open(8);
  ASSERT_EQ(::chmod((folder_ / "logs" / "audit.log").c_str(), 0640), 0);
  ASSERT_TRUE(file->write({"1234567", "a"}).ok());
  struct stat status {};
  ASSERT_EQ(::stat((folder_ / "logs" / "audit.log").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(RotatingFileTest, LineThatNeverFitsIsLeftOut) {
  const auto file = open(8);
  const Result<void> written = file->write({"a", "12345678", "b"});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.status().message(), "write length 9 exceeds maximum file size 8");
  EXPECT_EQ(content("audit.log"), "a\nb\n");
}

TEST_F(RotatingFileTest, KeepsTheNewestBackups) {
  const auto file = open(2);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(file->write({std::to_string(i)}).ok());
    clock_.advance(1s);
  }
  file->settle();
  EXPECT_EQ(names(), (std::vector<std::string>{"audit-2026-01-02T15-04-08.000.log",
                                               "audit-2026-01-02T15-04-09.000.log", "audit.log"}));
}

TEST_F(RotatingFileTest, CompressesBackups) {
  const auto file = open(8, true);
  ASSERT_TRUE(file->write({"1234567", "a"}).ok());
  file->settle();
  EXPECT_EQ(names(),
            (std::vector<std::string>{"audit-2026-01-02T15-04-05.000.log.gz", "audit.log"}));
  EXPECT_TRUE(content("audit-2026-01-02T15-04-05.000.log.gz").starts_with("\x1f\x8b"));
}

TEST_F(RotatingFileTest, WithoutASizeItGrows) {
  const auto file = open(0);
  ASSERT_TRUE(file->write({std::string(100'000, 'x'), "a"}).ok());
  EXPECT_EQ(names(), (std::vector<std::string>{"audit.log"}));
}

TEST(RotatingFile, FailsIfTheDiskIsFull) {
  const FakeClock clock;
  const auto file = RotatingFile::open(
      {.path = "/dev/full", .max_age_days = 0, .max_backups = 0, .max_bytes = 0}, clock);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE((*file)->write({"a"}).is(Reason::kInsufficientStorage));
}

TEST(PlanCleanUp, RemovesByNumberAndAge) {
  const std::vector<std::string> names = {
      "audit.log",
      "audit-2026-01-02T15-04-00.000.log",
      "audit-2026-01-02T15-04-00.000.log.gz",  // counts once
      "audit-2026-01-02T15-03-00.000.log.gz",
      "audit-2026-01-02T15-02-00.000.log",
      "audit-2025-12-24T00-00-00.000.log",
      "audit-of-something.log",
      "other-2020-01-02T15-02-00.000.log",
      "audit-2020-01-02T15-02-00.000.txt",
  };
  using Names = std::vector<std::string>;
  RotationOptions options{.path = "/var/log/audit.log", .max_age_days = 0, .max_backups = 2};
  CleanUp plan = plan_clean_up(options, names, FakeClock::kStart);
  EXPECT_EQ(plan.remove, (Names{names[4], names[5]}));
  EXPECT_TRUE(plan.compress.empty());
  options = {.path = "/var/log/audit.log", .max_age_days = 7, .max_backups = 0};
  options.compresses = true;
  plan = plan_clean_up(options, names, FakeClock::kStart);
  EXPECT_EQ(plan.remove, (Names{names[5]}));
  EXPECT_EQ(plan.compress, (Names{names[1], names[4]}));
}

}  // namespace
}  // namespace proa::apiserver::audit
