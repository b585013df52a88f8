#include "kubelet/node/server/log_request.h"

#include <gtest/gtest.h>

#include "testkit/fake_clock.h"

namespace proa::kubelet {
namespace log_request_test {

Result<LogQuery> read(std::string_view query) {
  return read_log_query(http::parse_target("/x?" + std::string(query)).value(),
                        testkit::FakeClock::kStart);
}

}  // namespace log_request_test

using log_request_test::read;

TEST(ReadLogQuery, TakesAllParameters) {
  const LogQuery query =
      read("follow=true&previous=1&timestamps&tailLines=5&limitBytes=7&sinceSeconds=60").value();
  EXPECT_TRUE(query.follow);
  EXPECT_TRUE(query.previous);
  EXPECT_TRUE(query.timestamps);
  EXPECT_EQ(query.tail_lines, 5);
  EXPECT_EQ(query.limit_bytes, 7);
  EXPECT_EQ(query.since, testkit::FakeClock::kStart - std::chrono::minutes(1));
  EXPECT_EQ(read("stream=Stderr").value().streams, LogStreams::kErrors);
  EXPECT_EQ(read("sinceTime=1970-01-01T00:00:01Z").value().since, Time(std::chrono::seconds(1)));
  const LogQuery none = read("follow=false&previous=0&tail=all&tailLines=3").value();
  EXPECT_FALSE(none.follow);
  EXPECT_FALSE(none.previous);
  EXPECT_FALSE(none.tail_lines);
  EXPECT_FALSE(none.since);
  EXPECT_EQ(read("tail=2").value().tail_lines, 2);
}

TEST(ReadLogQuery, RefusesWhatMakesNoSense) {
  struct Case {
    const char* query;
    int code;
  };
  const Case cases[] = {
      {"tailLines=x", 400},
      {"tailLines=-1", 422},
      {"limitBytes=0", 422},
      {"sinceSeconds=0", 422},
      {"sinceSeconds=-5", 422},
      {"sinceTime=yesterday", 400},
      {"stream=Other", 422},
      {"stream=Stdout&tailLines=1", 422},
      {"sinceSeconds=1&sinceTime=1970-01-01T00:00:01Z", 422},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.query);
    const Result<LogQuery> query = read(c.query);
    ASSERT_FALSE(query.ok());
    EXPECT_EQ(query.status().code(), c.code);
  }
}

}  // namespace proa::kubelet
