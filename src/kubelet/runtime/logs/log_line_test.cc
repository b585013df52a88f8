#include "kubelet/runtime/logs/log_line.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

TEST(LogLine, IsTimeStreamTagsAndText) {
  const struct {
    const char* line;
    const char* expected;  // stream and text; "-": no such line
  } cases[] = {
      {"2016-10-20T18:39:20.57606443Z stdout F log\n", "out:log\n"},
      {"2016-10-20T18:39:20.57606443Z stderr F log\n", "err:log\n"},
      {"2016-10-20T18:39:20.57606443Z stdout P partial\n", "out:partial"},
      {"2016-10-20T18:39:20.57606443Z stdout P:TAG2 partial\n", "out:partial"},
      {"2016-10-20T18:39:20.57606443Z stdout F:TAG2 full\n", "out:full\n"},
      {"2016-10-20T18:39:20+02:00 stdout F  two spaces \n", "out: two spaces \n"},
      {"2016-10-20T18:39:20Z stdout F \n", "out:\n"},
      {"2016-10-20T18:39:20Z stdout P ", "out:"},
      {"2016-10-20T18:39:20Z stdout F cut off", "out:cut off"},
      {"2016-10-20T18:39:20Z stdin F log\n", "-"},
      {"2016-10-20T18:39:20Z stdout log\n", "-"},
      {"2016-10-20T18:39:20Z stdout\n", "-"},
      {"today stdout F log\n", "-"},
      {"\n", "-"},
      {"", "-"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.line);
    const std::optional<LogLine> line = parse_log_line(c.line);
    EXPECT_EQ(line ? (line->is_stderr ? "err:" : "out:") + std::string(line->text) : "-",
              c.expected);
  }
}

TEST(LogLine, ShowsItsTimeWithNineDigits) {
  EXPECT_EQ(log_time_text("2016-10-20T18:39:20.57606443Z"), "2016-10-20T18:39:20.576064430Z");
  EXPECT_EQ(log_time_text("2016-10-20T18:39:20+02:00"), "2016-10-20T18:39:20.000000000+02:00");
  EXPECT_EQ(log_time_text("2016-10-20T18:39:20.1234567891+00:00"),
            "2016-10-20T18:39:20.123456789Z");
}

}  // namespace
}  // namespace proa::kubelet
