#include "controllers/workload/autoscaler/behavior.h"

#include <gtest/gtest.h>

namespace proa::controllers {
namespace {

using Select = ScalingRules::Select;

constexpr Time kNow{std::chrono::seconds(1767366245)};

// Pods and their period, percent and its period, in seconds; a value of zero is no policy.
ScalingRules rules(int64_t pods, int pods_period, int64_t percent, int percent_period) {
  ScalingRules made;
  if (pods != 0) made.policies.push_back({false, pods, std::chrono::seconds(pods_period)});
  if (percent != 0) made.policies.push_back({true, percent, std::chrono::seconds(percent_period)});
  return made;
}

const ScalingRules kDefaultUp = rules(4, 15, 100, 15);
const ScalingRules kDefaultDown = rules(0, 0, 100, 15);

// Evenly spread over that many seconds, the newest first.
std::vector<ScalingHistory::Entry> changes(const std::vector<int64_t>& replicas, int seconds) {
  std::vector<ScalingHistory::Entry> entries;
  const int step = replicas.empty() ? 0 : seconds / static_cast<int>(replicas.size());
  for (size_t i = 0; i < replicas.size(); ++i) {
    const int ago = step * static_cast<int>(i) + step / 2;
    entries.push_back({replicas[i], kNow - std::chrono::seconds(ago)});
  }
  return entries;
}

// Upstream's TestScalingWithRules.
TEST(LimitReplicas, HoldsThePaceOfItsPolicies) {
  using List = std::vector<int64_t>;
  const struct {
    const char* name;
    int64_t current, wanted, least, most;
    ScalingRules up, down;
    List ups, downs;
    int64_t replicas;
    const char* reason;
  } cases[] = {
      {"within", 5, 7, 3, 8, kDefaultUp, kDefaultDown, {}, {}, 7, "DesiredWithinRange"},
      {"too few", 3, 1, 2, 8, kDefaultUp, kDefaultDown, {}, {}, 2, "TooFewReplicas"},
      {"to none", 1, 0, 0, 10, kDefaultUp, kDefaultDown, {}, {}, 0, "DesiredWithinRange"},
      {"too many", 20, 1000, 1, 10, kDefaultUp, kDefaultDown, {}, {}, 10, "TooManyReplicas"},
      {"too many, just so",
       100,
       1000,
       100,
       150,
       kDefaultUp,
       kDefaultDown,
       {},
       {},
       150,
       "TooManyReplicas"},
      {"one percent",
       3,
       1000,
       1,
       2000,
       rules(0, 0, 1, 60),
       kDefaultDown,
       {},
       {},
       4,
       "ScaleUpLimit"},
      {"twenty less",
       1000,
       3,
       3,
       2000,
       kDefaultUp,
       rules(20, 60, 0, 0),
       {},
       {},
       980,
       "ScaleDownLimit"},
      {"default", 10, 50, 1, 1000, kDefaultUp, kDefaultDown, {}, {}, 20, "ScaleUpLimit"},
      {"pods are more",
       10,
       500,
       1,
       1000,
       rules(100, 60, 100, 60),
       kDefaultDown,
       {},
       {},
       110,
       "ScaleUpLimit"},
      {"percent is more",
       10,
       500,
       1,
       1000,
       rules(2, 60, 100, 60),
       kDefaultDown,
       {},
       {},
       20,
       "ScaleUpLimit"},
      {"percent is more, down",
       100,
       2,
       1,
       1000,
       kDefaultUp,
       rules(20, 60, 1, 60),
       {},
       {},
       80,
       "ScaleDownLimit"},
      {"pods are more, down",
       100,
       2,
       1,
       1000,
       kDefaultUp,
       rules(2, 60, 1, 60),
       {},
       {},
       98,
       "ScaleDownLimit"},
      {"down to the least",
       10,
       2,
       5,
       1000,
       kDefaultUp,
       rules(0, 0, 100, 60),
       {},
       {},
       5,
       "TooFewReplicas"},
      {"half", 10, 5, 1, 1000, kDefaultUp, rules(0, 0, 50, 60), {}, {}, 5, "DesiredWithinRange"},
      {"many lately",
       100,
       500,
       1,
       1000,
       rules(5, 120, 0, 0),
       kDefaultDown,
       {1, 5, 9},
       {},
       100,
       "ScaleUpLimit"},
      {"some lately",
       100,
       500,
       1,
       1000,
       rules(150, 120, 0, 0),
       kDefaultDown,
       {1, 5, 9},
       {},
       235,
       "ScaleUpLimit"},
      {"some lately, percent",
       100,
       500,
       1,
       1000,
       rules(0, 0, 200, 120),
       kDefaultDown,
       {1, 5, 9},
       {},
       255,
       "ScaleUpLimit"},
      {"up and down lately",
       6,
       24,
       1,
       1000,
       rules(0, 0, 300, 300),
       kDefaultDown,
       {4},
       {2},
       16,
       "ScaleUpLimit"},
      {"down lately, default",
       10,
       5,
       1,
       1000,
       kDefaultUp,
       kDefaultDown,
       {},
       {1, 5, 9},
       5,
       "DesiredWithinRange"},
      {"down lately",
       100,
       2,
       1,
       1000,
       kDefaultUp,
       rules(5, 120, 0, 0),
       {},
       {1, 5, 9},
       100,
       "ScaleDownLimit"},
      {"down lately, percent",
       100,
       0,
       1,
       1000,
       kDefaultUp,
       rules(0, 0, 50, 120),
       {},
       {2, 4, 6},
       56,
       "ScaleDownLimit"},
      {"up and down lately, down",
       10,
       1,
       1,
       1000,
       kDefaultUp,
       rules(0, 0, 50, 180),
       {2},
       {4},
       6,
       "ScaleDownLimit"},
      {"below zero",
       10,
       5,
       1,
       1000,
       kDefaultUp,
       rules(0, 0, 1000, 120),
       {},
       {10, 10, 10},
       5,
       "DesiredWithinRange"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    ScalingHistory history{
        .recommendations = {}, .ups = changes(c.ups, 120), .downs = changes(c.downs, 120)};
    const LimitedReplicas result = limit_replicas(c.current, c.wanted, {c.least, c.most},
                                                  Behavior{c.up, c.down}, history, kNow);
    EXPECT_EQ(result.replicas, c.replicas);
    EXPECT_EQ(result.limit_reason, c.reason);
    EXPECT_EQ(result.limited, result.limit_reason != "DesiredWithinRange");
  }
}

TEST(LimitReplicas, TakesThePolicyThatIsSelected) {
  Behavior behavior{rules(5, 60, 100, 60), rules(5, 60, 50, 60)};
  const auto limit = [&](int64_t wanted) {
    ScalingHistory history;
    return limit_replicas(20, wanted, {1, 100}, behavior, history, kNow).replicas;
  };
  EXPECT_EQ(limit(100), 40);
  EXPECT_EQ(limit(1), 10);
  behavior.up.select = behavior.down.select = Select::kMin;
  EXPECT_EQ(limit(100), 25);
  EXPECT_EQ(limit(1), 15);
  behavior.up.select = behavior.down.select = Select::kDisabled;
  EXPECT_EQ(limit(100), 20);
  EXPECT_EQ(limit(1), 20);
}

// Upstream's TestNormalizeDesiredReplicasWithBehavior.
TEST(LimitReplicas, ThinksAboutChangesForAWhile) {
  struct Before {
    int64_t replicas;
    int minutes;
  };
  const struct {
    const char* name;
    std::vector<Before> before;
    int64_t current, wanted;
    int up, down;  // windows in seconds
    int64_t replicas;
    const char* reason;
  } cases[] = {
      {"first", {}, 100, 5, 0, 0, 5, "ReadyForNewScale"},
      {"down", {{4, 2}, {5, 1}}, 100, 3, 0, 180, 5, "ScaleDownStabilized"},
      {"up", {{4, 2}, {5, 1}}, 1, 7, 300, 0, 4, "ScaleUpStabilized"},
      {"down, though less was wanted", {{1, 2}, {2, 1}}, 100, 3, 300, 0, 3, "ReadyForNewScale"},
      {"up, though more was wanted", {{4, 2}, {5, 1}}, 1, 3, 0, 300, 3, "ReadyForNewScale"},
      {"long ago", {{10, 10}, {9, 9}}, 100, 3, 0, 0, 3, "ReadyForNewScale"},
      {"some long ago",
       {{10, 10}, {4, 1}, {5, 2}, {9, 9}},
       100,
       3,
       0,
       180,
       5,
       "ScaleDownStabilized"},
      {"up, some long ago",
       {{10, 100}, {6, 1}, {5, 2}, {9, 3}},
       1,
       100,
       300,
       0,
       5,
       "ScaleUpStabilized"},
      {"not up when less is wanted", {{2, 100}, {3, 3}}, 2, 1, 300, 300, 2, "ScaleDownStabilized"},
      {"not down when more is wanted", {{2, 100}, {1, 3}}, 2, 3, 300, 300, 2, "ScaleUpStabilized"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Behavior behavior{rules(1000, 15, 0, 0), rules(1000, 15, 0, 0)};
    behavior.up.window = std::chrono::seconds(c.up);
    behavior.down.window = std::chrono::seconds(c.down);
    ScalingHistory history;
    for (const Before& one : c.before) {
      history.recommendations.push_back({one.replicas, kNow - std::chrono::minutes(one.minutes)});
    }
    const LimitedReplicas result =
        limit_replicas(c.current, c.wanted, {0, 1000}, behavior, history, kNow);
    EXPECT_EQ(result.replicas, c.replicas);
    EXPECT_EQ(result.able_reason, c.reason);
    EXPECT_EQ(history.recommendations.back().replicas, c.wanted);
  }
}

// Upstream's TestNormalizeDesiredReplicas and TestConvertDesiredReplicasWithRules.
TEST(LimitReplicas, WithoutABehaviorIsAsItEverWas) {
  struct Before {
    int64_t replicas;
    int minutes;
  };
  const struct {
    const char* name;
    std::vector<Before> before;
    int64_t current, wanted, least, most, replicas;
    const char* able;
    const char* reason;
  } cases[] = {
      {"first", {}, 5, 5, 1, 10, 5, "ReadyForNewScale", "DesiredWithinRange"},
      {"down, but more was wanted",
       {{4, 2}, {5, 1}},
       6,
       3,
       1,
       10,
       5,
       "ScaleDownStabilized",
       "DesiredWithinRange"},
      {"less was wanted",
       {{1, 2}, {2, 1}},
       3,
       3,
       1,
       10,
       3,
       "ReadyForNewScale",
       "DesiredWithinRange"},
      {"long ago", {{10, 10}, {9, 9}}, 6, 3, 1, 10, 3, "ReadyForNewScale", "DesiredWithinRange"},
      {"within", {}, 5, 7, 3, 8, 7, "ReadyForNewScale", "DesiredWithinRange"},
      {"too few", {}, 3, 1, 2, 8, 2, "ReadyForNewScale", "TooFewReplicas"},
      {"none", {}, 1, 0, 0, 10, 0, "ReadyForNewScale", "DesiredWithinRange"},
      {"too many", {}, 20, 1000, 1, 10, 10, "ReadyForNewScale", "TooManyReplicas"},
      {"too fast", {}, 3, 1000, 1, 2000, 6, "ReadyForNewScale", "ScaleUpLimit"},
      {"too fast from one", {}, 1, 1000, 1, 2000, 4, "ReadyForNewScale", "ScaleUpLimit"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    ScalingHistory history;
    for (const Before& one : c.before) {
      history.recommendations.push_back({one.replicas, kNow - std::chrono::minutes(one.minutes)});
    }
    const LimitedReplicas result =
        limit_replicas(c.current, c.wanted, {c.least, c.most}, std::nullopt, history, kNow);
    EXPECT_EQ(result.replicas, c.replicas);
    EXPECT_EQ(result.able_reason, c.able);
    EXPECT_EQ(result.limit_reason, c.reason);
  }
}

TEST(ScalingHistory, ForgetsWhatNoPolicyLooksAt) {
  const Behavior behavior{rules(1, 60, 0, 0), rules(1, 120, 0, 0)};
  ScalingHistory history;
  history.add_change(behavior, 1, 3, kNow);
  history.add_change(behavior, 3, 2, kNow + std::chrono::seconds(100));
  EXPECT_EQ(history.ups.size(), 1u);
  EXPECT_EQ(history.downs.size(), 1u);
  EXPECT_EQ(history.downs[0].replicas, 1);
  history.add_change(behavior, 2, 3, kNow + std::chrono::seconds(121));
  ASSERT_EQ(history.ups.size(), 1u);
  EXPECT_EQ(history.ups[0].replicas, 1);
}

TEST(Behavior, IsReadFromTheSpec) {
  EXPECT_FALSE(read_behavior(objects::AutoscalerSpec{}));
  const auto spec = api::decode<objects::AutoscalerSpec>(
      R"({"behavior":{"scaleUp":{"stabilizationWindowSeconds":30,"selectPolicy":"Min",)"
      R"("tolerance":"50m","policies":[{"type":"Pods","value":2,"periodSeconds":20},)"
      R"({"type":"Percent","value":10,"periodSeconds":40}]},"scaleDown":{}}})");
  const std::optional<Behavior> behavior = read_behavior(spec.value());
  ASSERT_TRUE(behavior);
  EXPECT_EQ(behavior->up.window, std::chrono::seconds(30));
  EXPECT_EQ(behavior->up.select, Select::kMin);
  EXPECT_DOUBLE_EQ(*behavior->up.tolerance, 0.05);
  ASSERT_EQ(behavior->up.policies.size(), 2u);
  EXPECT_FALSE(behavior->up.policies[0].percent);
  EXPECT_TRUE(behavior->up.policies[1].percent);
  EXPECT_EQ(behavior->up.longest_period(), std::chrono::seconds(40));
  EXPECT_EQ(behavior->down.window, std::chrono::minutes(5));
}

}  // namespace
}  // namespace proa::controllers
