#include "apiserver/front/tracing/traceparent.h"

#include <gtest/gtest.h>

namespace proa::apiserver::tracing {
namespace {

TEST(Traceparent, IsReadAsOpenTelemetryReadsIt) {
  const auto sampled = parse_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  ASSERT_TRUE(sampled.has_value());
  EXPECT_EQ(sampled->trace[0], 0x0a);
  EXPECT_EQ(sampled->trace[15], 0x9c);
  EXPECT_EQ(sampled->span[7], 0x31);
  EXPECT_TRUE(sampled->sampled);
  struct Case {
    const char* text;
    bool sampled;
  };
  for (const Case& c : {Case{"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", false},
                        Case{"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-02", false},
                        // A later version may have more of everything.
                        Case{"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-09-x", true}}) {
    SCOPED_TRACE(c.text);
    const auto read = parse_traceparent(c.text);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->sampled, c.sampled);
  }
}

TEST(Traceparent, MalformedOnesAreIgnored) {
  for (const char* text : {"", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
                           "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                           "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
                           "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                           "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
                           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03",
                           "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                           "0g-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(parse_traceparent(text).has_value());
  }
}

TEST(Sampler, ChoosesByTheEndOfTheTraceId) {
  TraceId low{};
  TraceId high{};
  high.fill(0xff);
  EXPECT_FALSE(is_sampled(low, 0));
  EXPECT_TRUE(is_sampled(low, 1));
  EXPECT_FALSE(is_sampled(high, 999'999));
  EXPECT_TRUE(is_sampled(high, 1'000'000));
  TraceId half{};
  half[8] = 0x7f;
  EXPECT_TRUE(is_sampled(half, 500'000));
  half[8] = 0x80;
  EXPECT_FALSE(is_sampled(half, 500'000));
}

}  // namespace
}  // namespace proa::apiserver::tracing
