#include "scheduler/plugins/preemption/budgets.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/plugins/test_preemption.h"

namespace proa::scheduler {
namespace {

using namespace preemption_test;
using testkit::BudgetBuilder;

TEST(Budget, CoversPodsOfItsNamespaceBySelector) {
  struct Case {
    const char* name;
    BudgetBuilder budget;
    PodBuilder pod;
    bool covers;
  };
  const PodBuilder web = make_pod("a").label("app", "web");
  const std::string not_api = R"({"matchExpressions":[{"key":"api","operator":"DoesNotExist"}]})";
  const std::vector<Case> cases = {
      {"selected", make_budget("b").selector({{"app", "web"}}), web, true},
      {"not selected", make_budget("b").selector({{"app", "api"}}), web, false},
      {"another namespace", make_budget("b").selector({{"app", "web"}}), PodBuilder(web).in("x"),
       false},
      {"no selector", make_budget("b"), web, false},
      {"an empty selector", make_budget("b").json("spec.selector", "{}"), web, false},
      {"a negative selector", make_budget("b").json("spec.selector", not_api), web, true},
      {"a pod without labels", make_budget("b").json("spec.selector", not_api), make_pod("a"),
       false},
  };
  PodReader reader;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read_budget(*c.budget.object()).covers(*reader.read(c.pod.object())), c.covers);
  }
}

TEST(Budget, ReadsWhatIsAllowed) {
  const Budget budget =
      read_budget(*make_budget("b").allowed(3).disrupted("a").disrupted("b").object());
  EXPECT_EQ(budget.allowed, 3);
  EXPECT_EQ(budget.on_their_way, (std::unordered_set<std::string>{"a", "b"}));
}

TEST(Budgets, FollowTheApi) {
  testkit::TestContext world;
  const Budgets budgets(world.informers);
  for (int i = 0; i < 3; ++i) world.informers.poll();
  EXPECT_TRUE(budgets.all().empty());
  const uint64_t before = budgets.changes();
  world.put("poddisruptionbudgets", make_budget("b").allowed(1));
  EXPECT_GT(budgets.changes(), before);
  ASSERT_EQ(budgets.all().size(), 1u);
  EXPECT_EQ(budgets.all()[0].allowed, 1);
  world.put("poddisruptionbudgets", make_budget("b").allowed(0));
  EXPECT_EQ(budgets.all()[0].allowed, 0);
  world.remove("poddisruptionbudgets", make_budget("b"));
  EXPECT_TRUE(budgets.all().empty());
}

}  // namespace
}  // namespace proa::scheduler
