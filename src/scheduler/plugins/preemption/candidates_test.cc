#include "scheduler/plugins/preemption/candidates.h"

#include <gtest/gtest.h>

#include <set>

#include "testkit/scheduler/plugins/test_preemption.h"

namespace proa::scheduler {
namespace {

using namespace preemption_test;

struct CandidatesBench : PreemptionBench {
  explicit CandidatesBench(PreemptionArgs args = {}) : args_(args) {
    for (int i = 0; i < 3; ++i) informers.poll();
  }
  Candidates::Choice choose(const PodBuilder& asking) {
    const PodPtr pod = read(asking);
    Evaluation evaluation = evaluate(*pod);
    evaluation.refresh(*pod);
    EXPECT_FALSE(evaluation.choose(random));
    return candidates.choose(*pod, evaluation);
  }
  std::string node_for(const PodBuilder& asking) {
    const Candidates::Choice choice = choose(asking);
    return choice.node ? cluster.at(*choice.node).name().str() : choice.why_not;
  }

 private:
  const PreemptionArgs args_;

 public:
  Budgets budgets{informers};
  Candidates candidates{cluster, nominations, budgets, clock, random, args_};
};

TEST(Candidates, TakesTheNodeThatCostsLeast) {
  CandidatesBench bench;
  bench.add(node("n1", 2));
  bench.add(node("n2", 2));
  bench.add(node("n3", 2));
  bench.add(running("a", "n1", 2, 5));
  bench.add(running("b", "n2", 2, 3));
  bench.add(running("c", "n3", 2, 4));
  const Candidates::Choice choice = bench.choose(pod("high", 2, 10));
  EXPECT_EQ(choice.node, 1u);
  EXPECT_EQ(names(choice.victims), "b");
}

TEST(Candidates, SaysWhyThereAreNone) {
  struct Case {
    const char* name;
    std::vector<PodBuilder> there;
    std::string why_not;
  };
  const std::vector<Case> cases = {
      {"not enough room whoever goes",
       {running("a", "n1", 2, 20), running("b", "n2", 2, 20), running("c", "n1", 1, 1),
        running("d", "n2", 1, 1)},
       "0/2 nodes are available: 2 Insufficient cpu."},
      {"nobody matters less, or not enough room",
       {running("a", "n1", 3, 20), running("b", "n2", 2, 20), running("d", "n2", 1, 1)},
       "0/2 nodes are available: 1 Insufficient cpu, 1 No preemption victims found for incoming "
       "pod."},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    CandidatesBench bench;
    bench.add(node("n1", 3));
    bench.add(node("n2", 3));
    for (const PodBuilder& one : c.there) bench.add(one);
    EXPECT_EQ(bench.node_for(pod("high", 2, 10)), c.why_not);
  }
}

TEST(Candidates, CountsNodesThatPreemptionDoesNotHelp) {
  CandidatesBench bench;
  for (const char* name : {"n1", "n2"}) bench.add(node(name, 3).taint("why", "", "NoSchedule"));
  for (const char* name : {"n3", "n4"}) {
    bench.add(node(name, 3));
    bench.add(running(std::string("low-") + name, name, 1, 1));
    bench.add(running(std::string("high-") + name, name, 2, 20));
  }
  EXPECT_EQ(bench.node_for(pod("high", 2, 10)),
            "0/4 nodes are available: 2 Insufficient cpu, 2 Preemption is not helpful for "
            "scheduling.");
}

TEST(Candidates, LooksAtAsManyNodesAsItIsTold) {
  CandidatesBench bench({.min_candidate_percentage = 40, .min_candidates = 1});
  for (int i = 1; i <= 5; ++i) {
    const std::string name = "n" + std::to_string(i);
    bench.add(node(name, 2));
    bench.add(running("on-" + name, name, 2, i));
  }
  // Two of five, beginning anywhere: the last of all is never the better of two but one.
  std::set<std::string> chosen;
  for (int i = 0; i < 200; ++i) chosen.insert(bench.node_for(pod("high", 2, 10)));
  EXPECT_EQ(chosen, (std::set<std::string>{"n1", "n2", "n3", "n4"}));
}

TEST(Candidates, GoesOnUntilOneBreaksNoBudget) {
  CandidatesBench bench({.min_candidate_percentage = 0, .min_candidates = 1});
  for (int i = 1; i <= 5; ++i) {
    const std::string name = "n" + std::to_string(i);
    bench.add(node(name, 2));
    PodBuilder there = running("on-" + name, name, 2, 1);
    if (i != 4) there.label("app", "web");
    bench.add(there);
  }
  bench.put("poddisruptionbudgets", make_budget("web").selector({{"app", "web"}}).allowed(0));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(bench.node_for(pod("high", 2, 10)), "n4");
}

TEST(Candidates, ForgetsWhatNoLongerHolds) {
  CandidatesBench bench;
  bench.add(node("n1", 2));
  bench.add(node("n2", 2));
  bench.add(running("a", "n1", 2, 1).label("app", "web"));
  bench.add(running("b", "n2", 2, 3));
  const PodBuilder high = pod("high", 2, 10);
  EXPECT_EQ(bench.node_for(high), "n1");
  bench.put("poddisruptionbudgets", make_budget("web").selector({{"app", "web"}}).allowed(0));
  EXPECT_EQ(bench.node_for(high), "n2") << "a budget came";
  bench.remove("poddisruptionbudgets", make_budget("web"));
  EXPECT_EQ(bench.node_for(high), "n1") << "and went";
  bench.cluster.remove_pod(api::Uid(testkit::usual_uid("default", "a")));
  bench.add(running("c", "n1", 2, 5));
  EXPECT_EQ(bench.node_for(high), "n2") << "another pod is there";
  bench.nominations.set(bench.read(pod("nominated", 2, 20)), api::NodeNameView("n2"));
  EXPECT_EQ(bench.node_for(high), "n1") << "somebody waits for it";
  bench.nominations.remove(api::Uid(testkit::usual_uid("default", "nominated")));
  bench.add(node("n2", 1));
  EXPECT_EQ(bench.node_for(high), "n1") << "it became too small";
  bench.add(node("n3", 2));
  bench.add(running("d", "n3", 2, 1));
  EXPECT_EQ(bench.node_for(high), "n3") << "a node came";
}

TEST(Candidates, KnowsShapesApart) {
  CandidatesBench bench;
  bench.add(node("n1", 4));
  bench.add(running("a", "n1", 2, 1));
  bench.add(running("b", "n1", 2, 2));
  for (int round = 0; round < 3; ++round) {
    for (int priority = 10; priority < 20; ++priority) {
      EXPECT_EQ(names(bench.choose(pod("small", 2, priority)).victims), "a");
      EXPECT_EQ(names(bench.choose(pod("large", 4, priority)).victims), "b a");
    }
  }
}

}  // namespace
}  // namespace proa::scheduler
