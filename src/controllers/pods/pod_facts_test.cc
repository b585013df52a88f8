#include "controllers/pods/pod_facts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testkit/fake_clock.h"

namespace proa::controllers {
namespace {

using std::chrono::seconds;

constexpr Time kNow = testkit::FakeClock::kStart;

api::ObjectPtr make_pod(bool ready, Time since) {
  return api::Object::make(
      fmt::format(R"({{"metadata":{{"name":"p"}},"status":{{"conditions":[{{"type":"Ready",)"
                  R"("status":"{}","lastTransitionTime":"{}"}}]}}}})",
                  ready ? "True" : "False", format_time(since)));
}

TEST(NextAvailable, IsWhenTheFirstOneHasBeenReadyLongEnough) {
  const std::vector<api::ObjectPtr> pods = {
      make_pod(true, kNow - seconds(10)),
      make_pod(true, kNow - seconds(9)),
      make_pod(false, kNow - seconds(60)),
  };
  EXPECT_EQ(next_available(pods, 0, kNow), Duration::zero());
  EXPECT_EQ(next_available(pods, 10, kNow), seconds(1));
  EXPECT_EQ(next_available(pods, 30, kNow), seconds(20));
}

}  // namespace
}  // namespace proa::controllers
