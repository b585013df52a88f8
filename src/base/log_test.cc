#include "base/log.h"

#include <gtest/gtest.h>

#include <limits>

#include "testkit/fake_clock.h"

namespace proa {
namespace log_test {

std::string& lines() {
  static std::string text;
  return text;
}

class LogTest : public testing::Test {
 protected:
  LogTest() {
    lines().clear();
    set_log_sink([](std::string_view line) { lines() += line; });
    set_log_clock(&clock_);
  }
  ~LogTest() override {
    set_log_sink(nullptr);
    set_log_clock(nullptr);
    set_log_format(LogFormat::kText);
    EXPECT_TRUE(set_log_levels("info").ok());
  }

  testkit::FakeClock clock_;
  Log log_{"store"};
};

TEST_F(LogTest, WritesTextLines) {
  clock_.advance(std::chrono::microseconds(123456));
  log_.info("pod bound", {{"pod", "a/b"}, {"nodes", 3}, {"ratio", 0.5}, {"last", true}});
  EXPECT_EQ(
      lines(),
      "2026-01-02T15:04:05.123456Z INFO  store: pod bound pod=a/b nodes=3 ratio=0.5 last=true\n");
}

TEST_F(LogTest, WritesJsonLines) {
  set_log_format(LogFormat::kJson);
  log_.error("no \"luck\"", {{"why", Status(Reason::kNotFound, "gone\n")},
                             {"big", UINT64_MAX},
                             {"infinite", std::numeric_limits<double>::infinity()}});
  EXPECT_EQ(lines(),
            R"({"time":"2026-01-02T15:04:05.000000Z","level":"error","room":"store",)"
            R"("message":"no \"luck\"","why":"gone\n","big":18446744073709551615,"infinite":"inf"})"
            "\n");
}

TEST_F(LogTest, InputCannotForgeALine) {
  log_.warn("bad\nname", {{"a", "x\r\n2026 INFO forged"},
                          {"b", ""},
                          {"c", "with space"},
                          {"d", "q\"uote"},
                          {"e", "\x1B[2J"},
                          {"f", "k=v"},
                          {"g", "\xFF"},
                          {"h", "\u2028"},
                          {"i", "caf\u00E9"}});
  EXPECT_EQ(lines(),
            "2026-01-02T15:04:05.000000Z WARN  store: bad\\nname a=\"x\\u000d\\n2026 INFO forged\" "
            "b=\"\" c=\"with space\" d=\"q\\\"uote\" e=\"\\u001b[2J\" f=\"k=v\" g=\"\uFFFD\" "
            "h=\"\\u2028\" i=caf\u00E9\n");
}

TEST_F(LogTest, LevelsAreSetByRoom) {
  const Log other("http");
  ASSERT_TRUE(set_log_levels("warn,store=debug").ok());
  EXPECT_TRUE(log_.enabled(LogLevel::kDebug));
  EXPECT_FALSE(other.enabled(LogLevel::kInfo));
  EXPECT_TRUE(other.enabled(LogLevel::kWarn));
  EXPECT_FALSE(Log("made later").enabled(LogLevel::kInfo));
  other.info("unheard");
  EXPECT_EQ(lines(), "");

  ASSERT_TRUE(set_log_levels("store=error").ok());
  EXPECT_FALSE(log_.enabled(LogLevel::kWarn));
  EXPECT_TRUE(other.enabled(LogLevel::kInfo));
}

TEST_F(LogTest, UnknownLevelsChangeNothing) {
  ASSERT_TRUE(set_log_levels("error").ok());
  const auto result = set_log_levels("debug,store=loud");
  ASSERT_TRUE(result.is(Reason::kBadRequest));
  EXPECT_EQ(result.status().message(), "log level \"loud\" is not one of debug, info, warn, error");
  EXPECT_FALSE(log_.enabled(LogLevel::kWarn));
}

}  // namespace log_test
}  // namespace proa
