#include "scheduler/plugins/preemption/victims.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/plugins/test_preemption.h"

namespace proa::scheduler {
namespace {

using namespace preemption_test;
using testkit::BudgetBuilder;

constexpr int kHigh = 100;
constexpr int kMiddle = 50;
constexpr int kLow = 10;

TEST(SelectVictims, TakesTheFewestAndLeastImportant) {
  struct Case {
    const char* name;
    int cpus;  // of the node
    std::vector<PodBuilder> there;
    PodBuilder pod;
    std::string victims;
    int64_t violations = 0;
    std::vector<BudgetBuilder> budgets = {};
  };
  const auto labeled = [](PodBuilder pod) { return pod.label("app", "web"); };
  const BudgetBuilder none_allowed = make_budget("web").selector({{"app", "web"}}).allowed(0);
  const BudgetBuilder one_allowed = make_budget("web").selector({{"app", "web"}}).allowed(1);
  const PodBuilder high = pod("high", 4, kHigh);
  const std::vector<Case> cases = {
      {"the only one", 4, {running("a", "n", 4, kLow)}, high, "a"},
      {"both where both are in the way",
       4,
       {running("a", "n", 2, kLow), running("b", "n", 2, kLow)},
       high,
       "a b"},
      {"one of two is enough",
       6,
       {running("a", "n", 2, kLow), running("b", "n", 2, kMiddle)},
       high,
       "a"},
      {"the small one may stay though it matters less",
       5,
       {running("small", "n", 1, kLow), running("middle", "n", 4, kMiddle)},
       high,
       "middle"},
      {"only those that matter less",
       6,
       {running("same", "n", 2, kHigh), running("more", "n", 0, kHigh + 1),
        running("less", "n", 4, kLow)},
       high,
       "less"},
      {"of equals the one that started last",
       6,
       {running("old", "n", 2, kLow, 1), running("new", "n", 2, kLow, 9)},
       high,
       "new"},
      {"one that has not started is the newest",
       6,
       {pod("unstarted", 2, kLow).node("n"), running("new", "n", 2, kLow, 9)},
       high,
       "unstarted"},
      {"the most important first",
       4,
       {running("a", "n", 1, kLow), running("b", "n", 1, kMiddle), running("c", "n", 1, kLow - 1),
        running("d", "n", 1, kMiddle + 1)},
       high,
       "d b a c"},
      {"one on its way out counts as well",
       4,
       {running("a", "n", 4, kLow).deleted_at("2026-01-01T00:00:00Z")},
       high,
       "a"},
      {"one with a port",
       8,
       {running("a", "n", 1, kLow).host_port(80), running("b", "n", 1, kLow)},
       pod("high", 1, kHigh).host_port(80),
       "a"},
      {"one that keeps others away",
       8,
       {running("a", "n", 1, kLow)
            .pod_anti_affinity("topology.kubernetes.io/zone", {{"app", "web"}}),
        running("b", "n", 1, kLow)},
       pod("high", 1, kHigh).label("app", "web"),
       "a"},
      {"one that it wants to be away from",
       8,
       {running("a", "n", 1, kLow).label("app", "web"), running("b", "n", 1, kLow)},
       pod("high", 1, kHigh).pod_anti_affinity("kubernetes.io/hostname", {{"app", "web"}}),
       "a"},
      {"those that a budget protects last",
       6,
       {labeled(running("guarded", "n", 2, kLow)), running("free", "n", 2, kMiddle)},
       high,
       "free",
       0,
       {none_allowed}},
      {"as many of a budget as it allows",
       6,
       {labeled(running("a", "n", 2, kMiddle)), labeled(running("b", "n", 2, kLow))},
       high,
       "a",
       0,
       {one_allowed}},
      {"more than a budget allows",
       4,
       {labeled(running("a", "n", 2, kMiddle)), labeled(running("b", "n", 2, kLow))},
       high,
       "a b",
       1,
       {one_allowed}},
      {"one that is counted already",
       4,
       {labeled(running("a", "n", 2, kMiddle)), labeled(running("b", "n", 2, kLow))},
       high,
       "a b",
       1,
       {BudgetBuilder(none_allowed).disrupted("a")}},
      {"all of them counted already",
       4,
       {labeled(running("a", "n", 2, kMiddle)), labeled(running("b", "n", 2, kLow))},
       high,
       "a b",
       0,
       {BudgetBuilder(none_allowed).disrupted("a").disrupted("b")}},
      {"two budgets",
       4,
       {labeled(running("a", "n", 4, kMiddle).label("tier", "1"))},
       high,
       "a",
       1,
       {BudgetBuilder(one_allowed), make_budget("tier").selector({{"tier", "1"}}).allowed(0)}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    PreemptionBench bench;
    const NodeIndex where = bench.add(node("n", c.cpus));
    for (const PodBuilder& one : c.there) bench.add(one);
    const Resources before = bench.cluster.at(where).requested();
    const VictimsFound found = bench.select(c.pod, where, c.budgets);
    ASSERT_TRUE(found.victims);
    EXPECT_EQ(names(found.victims->pods), c.victims);
    EXPECT_EQ(found.victims->violations, c.violations);
    EXPECT_EQ(bench.cluster.at(where).requested(), before);
    EXPECT_EQ(bench.cluster.at(where).pods().size(), c.there.size());
  }
}

TEST(SelectVictims, SaysWhyThereAreNone) {
  struct Case {
    const char* name;
    std::vector<PodBuilder> there;
    Code code;
    std::string reason;
  };
  const std::vector<Case> cases = {
      {"nobody matters less",
       {running("a", "n", 4, kHigh)},
       Code::kUnresolvable,
       "No preemption victims found for incoming pod"},
      {"it would not be enough",
       {running("a", "n", 2, kHigh), running("b", "n", 2, kLow)},
       Code::kUnschedulable,
       "Insufficient cpu"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    PreemptionBench bench;
    const NodeIndex where = bench.add(node("n", 4));
    for (const PodBuilder& one : c.there) bench.add(one);
    const VictimsFound found = bench.select(pod("high", 4, kHigh), where);
    EXPECT_FALSE(found.victims);
    EXPECT_EQ(found.verdict.code, c.code);
    EXPECT_EQ(*found.verdict.reasons, Verdict::Reasons{c.reason});
  }
}

TEST(SelectVictims, MakesRoomForNominatedPodsToo) {
  PreemptionBench bench;
  const NodeIndex where = bench.add(node("n", 4));
  bench.add(running("a", "n", 2, kLow));
  bench.add(running("b", "n", 2, kMiddle));
  bench.nominations.set(bench.read(pod("nominated", 2, kHigh)), api::NodeNameView("n"));
  const VictimsFound found = bench.select(pod("high", 2, kHigh), where);
  ASSERT_TRUE(found.victims);
  EXPECT_EQ(names(found.victims->pods), "b a");
}

struct Cost {
  std::vector<std::pair<int, int>> pods;  // priority, minute of the start
  int64_t violations = 0;
};

Victims victims_of(const Cost& cost) {
  PreemptionBench bench;
  const NodeIndex where = bench.add(node("n", 1));
  int number = 0;
  for (const auto& [priority, minute] : cost.pods) {
    bench.add(running("p" + std::to_string(++number), "n", 1, priority, minute));
  }
  Victims victims = *bench.select(pod("high", 1, 1000), where).victims;
  EXPECT_EQ(victims.pods.size(), cost.pods.size());
  victims.violations = cost.violations;
  return victims;
}

TEST(CostsLess, GoesByUpstreamsOrder) {
  struct Case {
    const char* name;
    Cost less;
    Cost more;
  };
  const std::vector<Case> cases = {
      {"budgets before all else", {{{90, 0}, {90, 0}}, 0}, {{{1, 0}}, 1}},
      {"the highest priority", {{{50, 0}, {50, 0}, {50, 0}}}, {{{51, 0}}}},
      {"then the sum", {{{50, 0}, {10, 0}}}, {{{50, 0}, {11, 0}}}},
      {"fewer, also of negative priorities", {{{-5, 0}}}, {{{-5, 0}, {-5, 0}}}},
      {"the sum counts each pod", {{{50, 0}}}, {{{50, 0}, {-100, 0}}}},
      {"then the later start", {{{50, 9}}}, {{{50, 1}}}},
      {"the earliest of the most important",
       {{{50, 5}, {50, 9}, {10, 0}}},
       {{{50, 4}, {50, 30}, {10, 59}}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Victims less = victims_of(c.less);
    const Victims more = victims_of(c.more);
    EXPECT_TRUE(costs_less(less, more));
    EXPECT_FALSE(costs_less(more, less));
    EXPECT_FALSE(costs_less(less, less));
  }
}

TEST(MoreImportant, GoesByPriorityThenByStart) {
  PodReader reader;
  const auto read = [&](const PodBuilder& pod) { return reader.read(pod.object()); };
  const PodPtr high = read(running("a", "n", 1, 2, 9));
  const PodPtr old = read(running("b", "n", 1, 1, 1));
  const PodPtr young = read(running("c", "n", 1, 1, 5));
  const PodPtr unstarted = read(pod("d", 1, 1).node("n"));
  const Time now = testkit::FakeClock::kStart;
  const std::vector<PodPtr> order = {high, old, young, unstarted};
  for (size_t i = 0; i < order.size(); ++i) {
    for (size_t j = 0; j < order.size(); ++j) {
      EXPECT_EQ(more_important(*order[i], *order[j], now), i < j) << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace proa::scheduler
