// What must hold of preemption in any cluster: nobody goes who matters as much, nobody goes in
// vain, no other node would have cost less, and looking changes nothing.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "testkit/scheduler/plugins/test_preemption.h"

namespace proa::scheduler {
namespace {

using namespace preemption_test;

// Small clusters that are full, of pods that get into each other's way in several manners.
struct RandomBench : PreemptionBench {
  explicit RandomBench(uint64_t seed) : chance(seed) {
    const uint64_t nodes = 2 + chance.below(4);
    for (uint64_t i = 0; i < nodes; ++i) {
      add(node("n" + std::to_string(i), static_cast<int>(2 + chance.below(5)))
              .zone("z" + std::to_string(chance.below(2))));
    }
    const uint64_t pods = nodes * (3 + chance.below(4));
    for (uint64_t i = 0; i < pods; ++i) {
      PodBuilder one = some_pod("p" + std::to_string(i), static_cast<int>(chance.below(5)));
      one.node("n" + std::to_string(chance.below(nodes)));
      if (chance.below(4) != 0) {
        one.started("2026-01-01T00:1" + std::to_string(chance.below(10)) + ":00Z");
      }
      if (chance.below(8) == 0) one.deleted_at("2026-01-01T00:30:00Z");
      add(one);
    }
    for (uint64_t i = chance.below(3); i > 0; --i) {
      testkit::BudgetBuilder budget =
          make_budget("b" + std::to_string(i)).allowed(static_cast<int64_t>(chance.below(3)));
      budget.selector({{"app", "a" + std::to_string(chance.below(3))}});
      if (chance.below(3) == 0) budget.disrupted("p" + std::to_string(chance.below(pods)));
      put("poddisruptionbudgets", budget);
    }
    if (chance.below(4) == 0) {
      nominations.set(DefaultBench::read(some_pod("nominated", static_cast<int>(chance.below(6)))),
                      api::NodeName("n" + std::to_string(chance.below(nodes))));
    }
  }

  PodBuilder some_pod(const std::string& name, int priority) {
    PodBuilder one = pod(name, static_cast<int>(1 + chance.below(3)), priority);
    one.label("app", "a" + std::to_string(chance.below(3)));
    if (chance.below(5) == 0) one.host_port(80);
    if (chance.below(6) == 0) {
      one.pod_anti_affinity(
          chance.below(2) == 0 ? "kubernetes.io/hostname" : "topology.kubernetes.io/zone",
          {{"app", "a" + std::to_string(chance.below(3))}});
    }
    return one;
  }

  SeededRandom chance;
  Budgets budgets{informers};
};

// Whether the pod fits on the node, by a fresh evaluation.
bool takes(PreemptionBench& bench, const Pod& pod, NodeIndex where) {
  Evaluation evaluation = bench.evaluate(pod);
  evaluation.refresh(pod);
  return evaluation.takes(where);
}

// Sums, pods and what filters say: all that could have been changed by a look.
std::string picture(PreemptionBench& bench, Evaluation& evaluation) {
  std::string text = std::to_string(bench.cluster.changes());
  for (NodeIndex i = 0; i < bench.cluster.slots(); ++i) {
    const Node& one = bench.cluster.at(i);
    std::vector<std::string> pods;
    for (const PodPtr& pod : one.pods()) pods.emplace_back(pod->name());
    std::sort(pods.begin(), pods.end());
    for (const std::string& name : pods) text += " " + name;
    const Verdict verdict = evaluation.check(i);
    text += "|" + std::to_string(one.requested().milli_cpu) + "," +
            std::to_string(one.requested().memory) + "," + std::to_string(one.used_ports().size()) +
            "," + std::to_string(one.pods_with_anti_affinity()) + "," +
            std::to_string(static_cast<int>(verdict.code)) +
            (verdict.reasons == nullptr ? "" : verdict.reasons->front()) + "\n";
  }
  return text;
}

void expect_nobody_in_vain(PreemptionBench& bench, const Pod& pod, NodeIndex where,
                           const Victims& victims) {
  for (const PodPtr& one : victims.pods) {
    EXPECT_LT(one->priority(), pod.priority());
    bench.cluster.remove_pod(one->uid());
  }
  EXPECT_TRUE(takes(bench, pod, where)) << "without its victims it fits";
  for (const PodPtr& one : victims.pods) {
    bench.cluster.put_pod(one);
    EXPECT_FALSE(takes(bench, pod, where)) << one->name() << " could have stayed";
    bench.cluster.remove_pod(one->uid());
  }
  for (const PodPtr& one : victims.pods) bench.cluster.put_pod(one);
}

// Where no violation is counted, no budget is overdrawn.
void expect_budgets_hold(const std::vector<Budget>& budgets, const Victims& victims) {
  for (const Budget& budget : budgets) {
    int64_t covered = 0;
    for (const PodPtr& one : victims.pods) {
      const bool counts =
          budget.covers(*one) && !budget.on_their_way.contains(std::string(one->name()));
      covered += counts ? 1 : 0;
    }
    EXPECT_LE(covered, std::max<int64_t>(budget.allowed, 0));
  }
}

// Upstream's criteria, from scratch.
auto cost_of(const Victims& victims, Time now) {
  int32_t highest = INT32_MIN;
  int64_t sum = 0;
  for (const PodPtr& one : victims.pods) {
    highest = std::max(highest, one->priority());
    sum += int64_t{one->priority()} + (int64_t{1} << 31);
  }
  Time earliest = Time::max();
  for (const PodPtr& one : victims.pods) {
    if (one->priority() != highest) continue;
    earliest = std::min(earliest, one->started == Time{} ? now : one->started);
  }
  return std::tuple(victims.violations, highest, sum, victims.pods.size(), Time::max() - earliest);
}

TEST(RandomPreemption, KeepsItsPromises) {
  size_t chosen = 0;
  size_t choices = 0;
  size_t violations = 0;
  for (uint64_t seed = 1; seed <= 1000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomBench bench(seed);
    const PodPtr pod = bench.DefaultBench::read(bench.some_pod("high", 3));
    Evaluation evaluation = bench.evaluate(*pod);
    evaluation.refresh(*pod);
    if (evaluation.choose(bench.random)) continue;
    const std::string before = picture(bench, evaluation);
    std::map<NodeIndex, Victims> found;
    for (NodeIndex i = 0; i < bench.cluster.slots(); ++i) {
      if (evaluation.of(i).verdict.code != Code::kUnschedulable) continue;
      const VictimsFound one = select_victims(bench.cluster, evaluation, *pod, i,
                                              bench.budgets.all(), bench.clock.now());
      if (one.victims) found.emplace(i, *one.victims);
    }
    ASSERT_EQ(picture(bench, evaluation), before) << "the cluster is as it was";
    Candidates candidates(bench.cluster, bench.nominations, bench.budgets, bench.clock,
                          bench.random, {.min_candidate_percentage = 100, .min_candidates = 0});
    const Candidates::Choice choice = candidates.choose(*pod, evaluation);
    ASSERT_EQ(picture(bench, evaluation), before);
    ASSERT_EQ(choice.node.has_value(), !found.empty()) << choice.why_not;
    if (!choice.node) continue;
    ++chosen;
    choices += found.size() > 1 ? 1 : 0;
    EXPECT_EQ(names(choice.victims), names(found.at(*choice.node).pods));
    const auto cost = cost_of(found.at(*choice.node), bench.clock.now());
    for (const auto& [other, victims] : found) {
      EXPECT_LE(cost, cost_of(victims, bench.clock.now())) << bench.cluster.at(other).name().view();
      violations += victims.violations > 0 ? 1 : 0;
      if (victims.violations == 0) expect_budgets_hold(bench.budgets.all(), victims);
      expect_nobody_in_vain(bench, *pod, other, victims);
    }
    // What was kept is still right: the same again.
    Evaluation again = bench.evaluate(*pod);
    again.refresh(*pod);
    again.feasible();
    const Candidates::Choice second = candidates.choose(*pod, again);
    ASSERT_TRUE(second.node);
    EXPECT_EQ(cost_of(found.at(*second.node), bench.clock.now()), cost);
  }
  EXPECT_GT(chosen, 300u);
  EXPECT_GT(choices, 100u);
  EXPECT_GT(violations, 20u);
}

}  // namespace
}  // namespace proa::scheduler
