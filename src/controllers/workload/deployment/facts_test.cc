#include "controllers/workload/deployment/facts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace proa::controllers::deployments {
namespace {

DeploymentFacts read(const std::string& spec) {
  return deployment_facts(*api::Object::make(R"({"metadata":{"name":"d"},"spec":)" + spec + "}"));
}

TEST(DeploymentFacts, ResolveShares) {
  struct Case {
    int replicas;
    const char* unavailable;
    const char* surge;
    int64_t max_unavailable;
    int64_t max_surge;
  };
  for (const Case& c : std::vector<Case>{
           {10, "\"25%\"", "\"25%\"", 2, 3},
           {4, "\"25%\"", "\"25%\"", 1, 1},
           {1, "\"25%\"", "\"25%\"", 0, 1},
           {0, "\"25%\"", "\"25%\"", 0, 0},
           {2, "\"1%\"", "0", 1, 0},  // rounds down to nothing: then nothing could move
           {5, "7", "2", 5, 2},       // no more than there are
           {10, "0", "\"1%\"", 0, 1},
       }) {
    SCOPED_TRACE(fmt::format("{} {} {}", c.replicas, c.unavailable, c.surge));
    const DeploymentFacts facts =
        read(fmt::format(R"({{"replicas":{},"strategy":{{"type":"RollingUpdate","rollingUpdate":)"
                         R"({{"maxUnavailable":{},"maxSurge":{}}}}}}})",
                         c.replicas, c.unavailable, c.surge));
    EXPECT_EQ(facts.max_unavailable, c.max_unavailable);
    EXPECT_EQ(facts.max_surge, c.max_surge);
    EXPECT_EQ(facts.most_pods(), c.replicas + c.max_surge);
    EXPECT_EQ(facts.least_available(), c.replicas - c.max_unavailable);
  }
}

TEST(DeploymentFacts, HaveLimitsOnlyWhereThereAreSome) {
  const DeploymentFacts none =
      read(R"({"progressDeadlineSeconds":2147483647,"revisionHistoryLimit":2147483647,)"
           R"("strategy":{"type":"Recreate"}})");
  EXPECT_FALSE(none.progress_deadline);
  EXPECT_FALSE(none.history_limit);
  EXPECT_FALSE(none.rolling);
  EXPECT_EQ(none.max_surge, 0);
  EXPECT_EQ(none.max_unavailable, 0);
  const DeploymentFacts some = read(R"({"progressDeadlineSeconds":600,"revisionHistoryLimit":0})");
  EXPECT_EQ(some.progress_deadline, std::chrono::seconds(600));
  EXPECT_EQ(some.history_limit, 0u);
}

TEST(SetFacts, SayWhatAnnotationsSayIfTheyMakeSense) {
  const api::ObjectPtr set = api::Object::make(
      R"({"metadata":{"name":"s","generation":2,"annotations":)"
      R"({"deployment.kubernetes.io/revision":"7","deployment.kubernetes.io/desired-replicas":)"
      R"("3","deployment.kubernetes.io/max-replicas":"-1"}},"spec":{"replicas":3},)"
      R"("status":{"replicas":3,"observedGeneration":1}})");
  const SetFacts& facts = set_facts(*set);
  EXPECT_EQ(facts.revision, 7);
  EXPECT_EQ(facts.desired_replicas, 3);
  EXPECT_FALSE(facts.max_replicas);
  EXPECT_FALSE(facts.observed);
  EXPECT_FALSE(facts.terminating);  // somebody looked at it, who does not count those
  const SetFacts fresh = set_facts(*api::Object::make(R"({"metadata":{"generation":1}})"));
  EXPECT_EQ(fresh.terminating, 0);
}

TEST(SortByAge, TakesNamesWhereTimesAreTheSame) {
  std::vector<OwnedSet> sets(3);
  sets[0].facts = {.name = "b", .created = Time(std::chrono::seconds(2))};
  sets[1].facts = {.name = "c", .created = Time(std::chrono::seconds(1))};
  sets[2].facts = {.name = "a", .created = Time(std::chrono::seconds(2))};
  sort_by_age(sets);
  EXPECT_EQ(sets[0].facts.name + sets[1].facts.name + sets[2].facts.name, "cab");
}

}  // namespace
}  // namespace proa::controllers::deployments
