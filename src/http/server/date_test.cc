#include "http/server/date.h"

#include <gtest/gtest.h>

namespace proa::http {
namespace date_test {

TEST(HttpDate, IsWrittenAsRfc9110Has) {
  for (const auto& [time, text] :
       {std::pair("1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
        std::pair("1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
        std::pair("2024-02-29T23:59:59.999Z", "Thu, 29 Feb 2024 23:59:59 GMT"),
        std::pair("2026-12-31T12:00:00Z", "Thu, 31 Dec 2026 12:00:00 GMT")}) {
    const auto parsed = parse_time(time);
    ASSERT_TRUE(parsed.ok()) << time;
    EXPECT_EQ(format_http_date(*parsed), text);
  }
}

}  // namespace date_test
}  // namespace proa::http
