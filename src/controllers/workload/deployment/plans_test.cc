// What rolling.h and scaling.h decide.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "controllers/workload/deployment/rolling.h"
#include "controllers/workload/deployment/scaling.h"

namespace proa::controllers::deployments {
namespace {

struct SetIs {
  int64_t replicas;
  int64_t available;
};

// The last one is the newest, unless there is none.
Sets make_sets(const std::vector<SetIs>& all, bool has_newest = true) {
  Sets sets;
  for (const SetIs& one : all) {
    OwnedSet set;
    set.facts.name = fmt::format("v{}", sets.all.size() + 1);
    set.facts.replicas = one.replicas;
    set.facts.available = one.available;
    sets.all.push_back(set);
  }
  if (has_newest) sets.newest = sets.all.size() - 1;
  return sets;
}

DeploymentFacts make_deployment(int64_t replicas, int64_t surge, int64_t unavailable) {
  DeploymentFacts facts;
  facts.replicas = replicas;
  facts.max_surge = surge;
  facts.max_unavailable = unavailable;
  return facts;
}

// The sizes of all sets after the plan.
std::vector<int64_t> sizes_after(const Sets& sets, const std::vector<Resize>& plan) {
  std::vector<int64_t> sizes;
  for (const OwnedSet& set : sets.all) sizes.push_back(set.facts.replicas);
  for (const Resize& one : plan) sizes[one.set] = one.replicas;
  return sizes;
}

TEST(PlanRolling, StaysWithinItsLimits) {
  struct Case {
    const char* name;
    DeploymentFacts deployment;
    std::vector<SetIs> sets;
    std::vector<int64_t> after;
  };
  for (const Case& c : std::vector<Case>{
           {"no surge: first old ones go", make_deployment(10, 0, 2), {{10, 10}, {0, 0}}, {8, 0}},
           {"surge: new ones come", make_deployment(10, 2, 0), {{10, 10}, {0, 0}}, {10, 2}},
           {"both", make_deployment(10, 3, 2), {{10, 10}, {0, 0}}, {8, 3}},
           {"room is filled", make_deployment(10, 2, 0), {{5, 5}, {0, 0}}, {5, 7}},
           {"full", make_deployment(10, 2, 0), {{10, 10}, {2, 0}}, {10, 2}},
           {"new ones that work let old ones go",
            make_deployment(10, 2, 0),
            {{10, 10}, {2, 2}},
            {8, 2}},
           {"new ones that do not work keep old ones",
            make_deployment(10, 0, 2),
            {{8, 8}, {2, 0}},
            {8, 2}},
           {"too large", make_deployment(10, 2, 0), {{0, 0}, {11, 10}}, {0, 10}},
           {"what serves nobody goes first",
            make_deployment(10, 0, 2),
            {{2, 2}, {8, 6}, {0, 0}},
            {2, 6, 0}},
           {"some of both", make_deployment(10, 0, 2), {{10, 9}, {0, 0}}, {8, 0}},
           {"rollover: the newest waits for room",
            make_deployment(10, 3, 2),
            {{8, 8}, {5, 0}, {0, 0}},
            {8, 0, 0}},
           {"the oldest goes first", make_deployment(4, 0, 2), {{2, 2}, {2, 2}, {0, 0}}, {0, 2, 0}},
           {"a status that lags says nothing",
            make_deployment(10, 0, 2),
            {{9, 10}, {0, 0}},
            {9, 1}},
           {"scaled to zero", make_deployment(0, 0, 0), {{3, 3}, {0, 0}}, {0, 0}},
           {"done", make_deployment(3, 1, 0), {{0, 0}, {3, 3}}, {0, 3}},
       }) {
    SCOPED_TRACE(c.name);
    const Sets sets = make_sets(c.sets);
    EXPECT_EQ(sizes_after(sets, plan_rolling(c.deployment, sets)), c.after);
  }
}

TEST(PlanRolling, NamesOnlyWhatChangesAndTheNewestFirst) {
  const Sets sets = make_sets({{0, 0}, {10, 10}, {0, 0}});
  EXPECT_EQ(plan_rolling(make_deployment(10, 3, 2), sets), (std::vector<Resize>{{2, 3}, {1, 8}}));
  EXPECT_TRUE(plan_rolling(make_deployment(3, 1, 0), make_sets({{0, 0}, {3, 3}})).empty());
}

// Whatever the limits, and whatever fails to become available: the limits hold, and when all pods
// work, it ends.
TEST(PlanRolling, GetsToItsEndWithoutBreakingALimit) {
  for (int64_t replicas = 1; replicas <= 7; ++replicas) {
    for (int64_t surge = 0; surge <= 3; ++surge) {
      for (int64_t unavailable = surge == 0 ? 1 : 0; unavailable <= replicas; ++unavailable) {
        SCOPED_TRACE(fmt::format("{} +{} -{}", replicas, surge, unavailable));
        const DeploymentFacts deployment = make_deployment(replicas, surge, unavailable);
        Sets sets = make_sets({{replicas, replicas}, {0, 0}});
        for (int i = 0; i < 30; ++i) {
          for (const Resize& one : plan_rolling(deployment, sets)) {
            SetFacts& set = sets.all[one.set].facts;
            set.replicas = one.replicas;
            set.available = std::min(set.available, set.replicas);  // those that go are gone
          }
          ASSERT_LE(sets.total(), deployment.most_pods());
          ASSERT_GE(sets.available(), deployment.least_available());
          // One more pod comes up.
          SetFacts& newest = sets.all[1].facts;
          newest.available = std::min(newest.available + 1, newest.replicas);
        }
        EXPECT_EQ(sets.at(0).replicas, 0);
        EXPECT_EQ(sets.at(1).available, replicas);
      }
    }
  }
}

TEST(SizeOfNewest, IsAllForRecreate) {
  DeploymentFacts deployment = make_deployment(5, 0, 0);
  deployment.rolling = false;
  EXPECT_EQ(size_of_newest(deployment, 3, 0), 5);
}

struct ScalingCase {
  const char* name;
  DeploymentFacts deployment;
  int64_t before;  // how many replicas, and how much surge there was
  int64_t surge_before;
  std::vector<int64_t> sizes;
  bool has_newest;
  std::vector<int64_t> after;
};

Sets sets_of(const ScalingCase& c) {
  std::vector<SetIs> all;
  for (const int64_t size : c.sizes) all.push_back({size, size});
  Sets sets = make_sets(all, c.has_newest);
  for (OwnedSet& set : sets.all) {
    set.facts.desired_replicas = c.before;
    set.facts.max_replicas = c.before + c.surge_before;
  }
  return sets;
}

TEST(PlanScaling, KeepsProportions) {
  for (const ScalingCase& c : std::vector<ScalingCase>{
           {"one set grows", make_deployment(12, 0, 1), 10, 0, {10}, true, {12}},
           {"one set shrinks", make_deployment(5, 0, 1), 10, 0, {10}, true, {5}},
           {"5 to 10", make_deployment(10, 0, 1), 5, 0, {3, 2}, true, {6, 4}},
           {"5 to 3", make_deployment(3, 0, 1), 5, 0, {3, 2}, true, {2, 1}},
           {"9 to 4", make_deployment(4, 0, 1), 9, 0, {1, 8}, true, {0, 4}},
           {"7 to 10", make_deployment(10, 0, 1), 7, 0, {2, 3, 2}, true, {3, 4, 3}},
           {"13 to 8", make_deployment(8, 0, 1), 13, 0, {3, 8, 2}, true, {2, 5, 1}},
           {"leftover to the newest", make_deployment(4, 0, 1), 3, 0, {1, 1, 1}, true, {1, 1, 2}},
           {"leftover from the oldest", make_deployment(2, 0, 1), 3, 0, {1, 1, 1}, true, {0, 1, 1}},
           {"no newest", make_deployment(5, 0, 1), 4, 0, {2, 2}, false, {2, 3}},
           {"to zero", make_deployment(0, 0, 0), 6, 0, {1, 2, 3}, true, {0, 0, 0}},
           {"from zero", make_deployment(6, 0, 1), 6, 0, {0, 0, 0}, true, {0, 0, 6}},
           {"from zero, no newest", make_deployment(6, 0, 1), 6, 0, {0, 0}, false, {0, 6}},
           {"surge", make_deployment(20, 2, 0), 10, 2, {6, 6}, true, {11, 11}},
           {"surge changes too", make_deployment(50, 6, 0), 10, 3, {8, 5}, true, {34, 22}},
           {"size and template", make_deployment(14, 0, 1), 10, 0, {3, 7}, false, {4, 10}},
           {"nobody knows what it was", make_deployment(10, 0, 1), 0, 0, {3, 2}, true, {8, 2}},
       }) {
    SCOPED_TRACE(c.name);
    const Sets sets = sets_of(c);
    EXPECT_EQ(sizes_after(sets, plan_scaling(c.deployment, sets)), c.after);
  }
}

TEST(PlanScaling, TellsAllOfThemTheNewNumber) {
  const ScalingCase c{"", make_deployment(10, 3, 0), 10, 0, {7, 6}, true, {}};
  EXPECT_EQ(plan_scaling(c.deployment, sets_of(c)).size(), 2u);
  Sets only = make_sets({{0, 0}, {3, 3}});
  EXPECT_TRUE(plan_scaling(make_deployment(3, 1, 0), only).empty());
  only.all[1].facts.desired_replicas = 5;
  EXPECT_EQ(plan_scaling(make_deployment(3, 1, 0), only), (std::vector<Resize>{{1, 3}}));
}

TEST(PlanScaling, LetsOldOnesGoWhenTheNewestHasAll) {
  Sets sets = make_sets({{2, 2}, {3, 3}});
  sets.all[1].facts.desired_replicas = 3;
  EXPECT_EQ(sizes_after(sets, plan_scaling(make_deployment(3, 1, 0), sets)),
            (std::vector<int64_t>{0, 3}));
  sets.all[1].facts.available = 0;  // it has them, but they do not work
  EXPECT_NE(sizes_after(sets, plan_scaling(make_deployment(3, 1, 0), sets))[0], 0);
}

TEST(WasScaled, LooksAtSetsThatHavePods) {
  Sets sets = make_sets({{0, 0}, {3, 3}});
  EXPECT_FALSE(was_scaled(make_deployment(5, 0, 0), sets));
  sets.all[0].facts.desired_replicas = 2;
  sets.all[1].facts.desired_replicas = 3;
  EXPECT_FALSE(was_scaled(make_deployment(3, 0, 0), sets));
  EXPECT_TRUE(was_scaled(make_deployment(5, 0, 0), sets));
}

}  // namespace
}  // namespace proa::controllers::deployments
