#include "client/events/correlator.h"

#include <gtest/gtest.h>

#include "testkit/fake_clock.h"

namespace proa::client {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

Occurrence say(const std::string& message, Time at, const std::string& name = "web") {
  return {.about = {.api_version = "v1",
                    .kind = "Pod",
                    .name_space = "a",
                    .name = name,
                    .uid = "u",
                    .resource_version = "1",
                    .field_path = ""},
          .type = "Normal",
          .reason = "Told",
          .message = message,
          .at = at};
}

constexpr Time kStart = testkit::FakeClock::kStart;

TEST(Correlator, CountsWhatComesAgainWithinTenMinutes) {
  Correlator correlator;
  const auto first = correlator.plan(say("x", kStart));
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->is_new());
  EXPECT_EQ(first->name, "web.1886f23c653db200");
  const auto second = correlator.plan(say("x", kStart + minutes(10)));
  EXPECT_EQ(second->name, first->name);
  EXPECT_EQ(second->count, 2);
  EXPECT_EQ(second->first, kStart);
  const auto late = correlator.plan(say("x", kStart + minutes(21)));
  EXPECT_NE(late->name, first->name);
  EXPECT_TRUE(late->is_new());
  EXPECT_TRUE(correlator.plan(say("other", kStart))->is_new());
  EXPECT_TRUE(correlator.plan(say("x", kStart, "other"))->is_new());
}

TEST(Correlator, CombinesManyMessagesOfOneReason) {
  Correlator correlator;
  for (int i = 0; i < 9; ++i) {
    const std::string message = std::to_string(i);
    EXPECT_EQ(correlator.plan(say(message, kStart))->message, message);
  }
  const auto tenth = correlator.plan(say("9", kStart));
  EXPECT_EQ(tenth->message, "(combined from similar events): 9");
  EXPECT_TRUE(tenth->is_new());
  const auto next = correlator.plan(say("10", kStart));
  EXPECT_EQ(next->message, "(combined from similar events): 10");
  EXPECT_EQ(next->name, tenth->name);
  EXPECT_EQ(next->count, 2);
  EXPECT_EQ(correlator.plan(say("0", kStart + minutes(11)))->message, "0");
}

TEST(Correlator, StopsListeningToAnObjectThatTellsTooMuch) {
  Correlator correlator;
  for (int i = 0; i < 25; ++i) EXPECT_TRUE(correlator.plan(say("x", kStart))) << i;
  EXPECT_FALSE(correlator.plan(say("x", kStart)));
  EXPECT_TRUE(correlator.plan(say("x", kStart, "other")));
  EXPECT_FALSE(correlator.plan(say("x", kStart + seconds(299))));
  EXPECT_TRUE(correlator.plan(say("x", kStart + seconds(301))));
  EXPECT_FALSE(correlator.plan(say("x", kStart + seconds(301))));
}

TEST(Correlator, RemembersABoundedNumber) {
  Correlator correlator;
  for (int i = 0; i < 10'000; ++i) correlator.plan(say("x", kStart, std::to_string(i)));
  EXPECT_LE(correlator.remembered(), 4096U);
}

}  // namespace
}  // namespace proa::client
