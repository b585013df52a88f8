#include "apiserver/access/followed_configuration.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "base/log.h"
#include "testkit/fake_clock.h"
#include "testkit/memory_files.h"
#include "testkit/patience.h"
#include "testkit/process.h"

namespace proa::apiserver {
namespace {

using namespace std::chrono_literals;

constexpr const char* kPath = "/etc/config.yaml";
constexpr ReloadFamilies kFamilies{
    .reloads = {"reloads", "h", MetricKind::kCounter, {"status", "server"}},
    .reloaded = {"reloaded", "h", MetricKind::kGauge, {"status", "server"}},
    .in_force = {"in_force", "h", MetricKind::kGauge, {"server", "hash"}}};

class FollowedConfigurationTest : public testing::Test {
 protected:
  FollowedConfigurationTest()
      : followed_({.subject = "test", .families = kFamilies, .file = {kPath, "a"}, .server = "me"},
                  files_, clock_, [this](const std::string& text, const Until&) {
                    applied_.push_back(text);
                    return outcome_;
                  }) {
    files_.content[kPath] = "a";
  }

  std::string metrics() const {
    MetricsText text;
    followed_.write_metrics(text);
    return text.take();
  }
  bool has(const std::string& line) const { return metrics().find(line) != std::string::npos; }
  // As of the word "me".
  const std::string server_ =
      "sha256:2744ccd10c7533bd736ad890f9dd5cab2adb27b07d500b9493f29cdc420cb2e0";

  testkit::FakeClock clock_;
  testkit::MemoryFiles files_;
  Result<bool> outcome_ = true;
  std::vector<std::string> applied_;
  FollowedConfiguration followed_;
};

TEST_F(FollowedConfigurationTest, AppliesWhatChanged) {
  followed_.look();
  EXPECT_TRUE(applied_.empty());
  // The hash of "a".
  EXPECT_TRUE(has("in_force{server=\"" + server_ +
                  "\",hash=\"sha256:ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48"
                  "bb\"} 1\n"));
  files_.content[kPath] = "b";
  followed_.look();
  followed_.look();
  EXPECT_EQ(applied_, std::vector<std::string>{"b"});
  EXPECT_TRUE(has("reloads{status=\"success\",server=\"" + server_ + "\"} 1\n"));
  EXPECT_TRUE(has("reloaded{status=\"success\",server=\"" + server_ + "\"} 1767366245\n"));
  EXPECT_TRUE(
      has("hash=\"sha256:3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d"));
  EXPECT_FALSE(has("failure"));
}

TEST_F(FollowedConfigurationTest, TriesWhatIsInvalidOnce) {
  files_.content[kPath] = "b";
  outcome_ = Status(Reason::kInvalid, "no");
  followed_.look();
  followed_.look();
  EXPECT_EQ(applied_.size(), 1u);
  EXPECT_TRUE(has("reloads{status=\"failure\",server=\"" + server_ + "\"} 1\n"));
  EXPECT_TRUE(has("hash=\"sha256:ca97")) << "the former one stays in force";
  files_.content[kPath] = "a";
  outcome_ = false;
  followed_.look();
  EXPECT_EQ(applied_.size(), 2u);
  EXPECT_FALSE(has("success")) << "it says the same";
}

TEST_F(FollowedConfigurationTest, SaysOnceThatTheFileIsInOrderAgain) {
  static std::atomic<int> said = 0;
  set_log_sink([](std::string_view line) {
    if (line.find("has the configuration in force again") != std::string_view::npos) ++said;
  });
  const auto fix = [&] {
    files_.content[kPath] = "a";
    outcome_ = false;
    followed_.look();
    followed_.look();
  };
  fix();
  EXPECT_EQ(said, 0);
  files_.content[kPath] = "b";
  outcome_ = Status(Reason::kInvalid, "no");
  followed_.look();
  followed_.look();
  EXPECT_EQ(said, 0) << "it is still broken";
  fix();
  EXPECT_EQ(said, 1);
  files_.content.clear();
  followed_.look();
  fix();
  EXPECT_EQ(said, 2);
  set_log_sink(nullptr);
}

TEST_F(FollowedConfigurationTest, TriesAgainWhatMayWorkLater) {
  files_.content[kPath] = "b";
  outcome_ = Status(Reason::kServiceUnavailable, "not yet");
  followed_.look();
  followed_.look();
  EXPECT_EQ(applied_.size(), 2u);
  EXPECT_TRUE(has("reloads{status=\"failure\",server=\"" + server_ + "\"} 2\n"));
  outcome_ = true;
  followed_.look();
  EXPECT_TRUE(has("reloads{status=\"success\",server=\"" + server_ + "\"} 1\n"));
  files_.content.erase(kPath);
  followed_.look();
  EXPECT_EQ(applied_.size(), 3u);
  EXPECT_TRUE(has("reloads{status=\"failure\",server=\"" + server_ + "\"} 3\n"));
}

TEST(FollowedConfiguration, NoticesThatTheFileChanged) {
  const testkit::TempDir folder;
  const std::string path = folder.file("config.yaml");
  std::ofstream(path) << "a";
  SystemFiles files;
  SystemClock clock;
  std::atomic<int> applied = 0;
  FollowedConfiguration followed(
      {.subject = "test", .families = kFamilies, .file = {path, "a"}, .server = "me"}, files, clock,
      [&](const std::string& text, const Until&) -> Result<bool> {
        if (text == "b") ++applied;
        return true;
      });
  ASSERT_TRUE(followed.start().ok());
  std::ofstream(folder.file("next")) << "b";
  std::filesystem::rename(folder.file("next"), path);
  EXPECT_TRUE(testkit::holds_within(10s, [&] { return applied == 1; }));
  followed.stop();
}

}  // namespace
}  // namespace proa::apiserver
