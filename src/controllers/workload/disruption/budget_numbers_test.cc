#include "controllers/workload/disruption/budget_numbers.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"

namespace proa::controllers::disruption {
namespace {

using std::chrono::seconds;

constexpr Time kNow{seconds(1767366245)};  // 2026-01-02T15:04:05Z

TEST(DesiredHealthy, IsANumberOrAShare) {
  struct Case {
    const char* spec;
    int64_t expected;
    int64_t desired;
    bool needs_expected;
  };
  constexpr Case kCases[] = {
      {R"({"minAvailable":3})", 10, 3, false},
      {R"({"minAvailable":3})", 1, 3, false},
      {R"({"minAvailable":"0%"})", 10, 0, true},
      {R"({"minAvailable":"30%"})", 10, 3, true},
      {R"({"minAvailable":"28%"})", 10, 3, true},
      {R"({"minAvailable":"100%"})", 7, 7, true},
      {R"({"maxUnavailable":1})", 10, 9, true},
      {R"({"maxUnavailable":20})", 10, 0, true},
      {R"({"maxUnavailable":"25%"})", 10, 7, true},
      {R"({"maxUnavailable":"10%"})", 0, 0, true},
      {R"({})", 4, 0, false},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.spec);
    const auto spec = api::decode<objects::DisruptionBudgetSpec>(c.spec).value();
    EXPECT_EQ(desired_healthy(spec, c.expected), c.desired);
    EXPECT_EQ(needs_expected_count(spec), c.needs_expected);
  }
}

TEST(BudgetNumbers, AllowDisruptionsAboveTheDesiredCount) {
  const auto allowed = [](int64_t healthy, int64_t desired, int64_t expected) {
    return BudgetNumbers{.healthy = healthy, .desired = desired, .expected = expected}.allowed();
  };
  EXPECT_EQ(allowed(5, 3, 5), 2);
  EXPECT_EQ(allowed(3, 3, 5), 0);
  EXPECT_EQ(allowed(1, 3, 5), 0);
  EXPECT_EQ(allowed(1, 0, 0), 0) << "its pods are not counted yet";
}

api::ObjectPtr pod(const std::string& name, const char* ready, bool being_deleted = false) {
  return api::Object::make(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + "\"" +
                           (being_deleted ? R"(,"deletionTimestamp":"2026-01-02T15:04:05Z")" : "") +
                           R"(},"status":{"conditions":[{"type":"Ready","status":")" + ready +
                           R"("}]}})");
}

TEST(StillDisrupted, DropsDeletedAndExpiredPods) {
  const std::vector<api::ObjectPtr> pods{pod("fresh", "True"), pod("old", "True"),
                                         pod("other", "True"), pod("going", "True", true)};
  const objects::DisruptionBudgetStatus status{.disrupted_pods = {
                                                   {"fresh", "2026-01-02T15:03:05Z"},
                                                   {"old", "2026-01-02T15:02:05Z"},
                                                   {"going", "2026-01-02T15:04:00Z"},
                                                   {"gone", "2026-01-02T15:04:00Z"},
                                               }};
  const Disrupted disrupted = still_disrupted(pods, status, kNow);
  ASSERT_EQ(disrupted.pods.size(), 1U);
  EXPECT_EQ(disrupted.pods[0].first, "fresh");
  EXPECT_EQ(disrupted.pods[0].second, "2026-01-02T15:03:05Z");
  ASSERT_EQ(disrupted.expired.size(), 1U);
  EXPECT_EQ(disrupted.expired[0]->metadata().name, "old");
  EXPECT_EQ(disrupted.recheck, seconds(60));
  EXPECT_EQ(count_healthy(pods, disrupted), 2) << "old and other";
}

TEST(CountHealthy, CountsThoseThatAreReadyAndStay) {
  EXPECT_EQ(count_healthy({pod("a", "True"), pod("b", "False"), pod("c", "True", true)}, {}), 1);
}

TEST(PutNumbers, SaysAllOfIt) {
  json::Document budget =
      json::parse(R"({"metadata":{"generation":3},"status":{"disruptedPods":{"x":"y"}}})").value();
  put_numbers(api::Edit(budget), {.healthy = 3, .desired = 2, .expected = 4}, {}, kNow);
  EXPECT_EQ(
      json::print(*budget.root().find("status")),
      R"({"observedGeneration":3,"currentHealthy":3,"desiredHealthy":2,"expectedPods":4,)"
      R"("disruptionsAllowed":1,"conditions":[{"type":"DisruptionAllowed",)"
      R"("lastTransitionTime":"2026-01-02T15:04:05Z","status":"True","reason":"SufficientPods",)"
      R"("observedGeneration":3,"message":""}]})");
  put_failure(api::Edit(budget), "why", kNow + seconds(1));
  EXPECT_EQ(json::print(*budget.root().find("status")),
            R"({"observedGeneration":3,"currentHealthy":3,"desiredHealthy":2,"expectedPods":4,)"
            R"("disruptionsAllowed":0,"conditions":[{"type":"DisruptionAllowed",)"
            R"("lastTransitionTime":"2026-01-02T15:04:06Z","status":"False","reason":"SyncFailed",)"
            R"("observedGeneration":3,"message":"why"}]})");
}

}  // namespace
}  // namespace proa::controllers::disruption
