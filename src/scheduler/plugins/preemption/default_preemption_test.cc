#include "scheduler/plugins/preemption/default_preemption.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "testkit/scheduler/plugins/test_preemption.h"

namespace proa::scheduler {
namespace {

using namespace preemption_test;

struct DefaultPreemptionBench : PreemptionBench {
  PostFiltered ask(const PodPtr& pod) {
    nominations.set(pod, pod->nominated_node);
    Evaluation evaluation = evaluate(*pod);
    evaluation.refresh(*pod);
    EXPECT_FALSE(evaluation.choose(random));
    return profile().post_filter.at(0)->post_filter(pod, evaluation);
  }
  PostFiltered ask(const PodBuilder& pod) { return ask(read(pod)); }
  // Who was told to go.
  std::vector<std::string> removed() {
    std::vector<std::string> names;
    constexpr std::string_view kRemove = "remove pods default/";
    for (const std::string& one : server.writes()) {
      if (one.starts_with(kRemove)) names.push_back(one.substr(kRemove.size()));
    }
    return names;
  }
};

using Names = std::vector<std::string>;

TEST(DefaultPreemption, NominatesTheNodeWhereItMakesRoom) {
  DefaultPreemptionBench bench;
  bench.add(node("n1", 2));
  bench.add(running("a", "n1", 2, 1));
  const PostFiltered done = bench.ask(pod("high", 2, 10));
  EXPECT_TRUE(done.verdict.ok());
  EXPECT_EQ(done.nominated_node, "n1");
  EXPECT_EQ(done.message, "");
  EXPECT_EQ(bench.removed(), Names{"a"});
}

TEST(DefaultPreemption, EndsTheNominationWhereNothingHelps) {
  DefaultPreemptionBench bench;
  bench.add(node("n1", 2));
  bench.add(running("a", "n1", 2, 20));
  const PostFiltered done = bench.ask(pod("high", 2, 10).nominated("n1"));
  EXPECT_EQ(done.verdict.code, Code::kUnschedulable);
  EXPECT_EQ(done.nominated_node, "");
  EXPECT_EQ(done.message,
            "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.");
}

TEST(DefaultPreemption, IsNotForEveryPod) {
  struct Case {
    const char* name;
    PodBuilder there;
    PodBuilder pod;
    std::string message;  // empty: it makes room
  };
  const std::string terminating =
      "preemption: not eligible due to a terminating pod on the nominated node.";
  const auto leaving = [](int priority, const char* reason) {
    return running("a", "n1", 2, priority)
        .deleted_at("2026-01-01T00:00:00Z")
        .status_json("conditions", R"([{"type":"DisruptionTarget","status":"True","reason":")" +
                                       std::string(reason) + R"("}])");
  };
  const std::vector<Case> cases = {
      {"never", running("a", "n1", 2, 1), pod("high", 2, 10).never_preempts(),
       "preemption: not eligible due to preemptionPolicy=Never."},
      {"its victim is on the way out", leaving(1, "PreemptionByScheduler"),
       pod("high", 2, 10).nominated("n1"), terminating},
      {"another node is nominated", leaving(1, "PreemptionByScheduler"),
       pod("high", 2, 10).nominated("n2"), ""},
      {"somebody else evicts it", leaving(1, "EvictionByEvictionAPI"),
       pod("high", 2, 10).nominated("n1"), ""},
      {"it was not its victim", running("a", "n1", 2, 1), pod("high", 2, 10).nominated("n1"), ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    DefaultPreemptionBench bench;
    bench.add(node("n1", 2));
    bench.add(c.there);
    const PostFiltered done = bench.ask(c.pod);
    EXPECT_EQ(done.message, c.message);
    EXPECT_EQ(done.verdict.ok(), c.message.empty());
    EXPECT_EQ(done.nominated_node,
              c.message.empty() ? std::optional(api::NodeName("n1")) : std::nullopt);
  }
}

TEST(DefaultPreemption, LooksElsewhereWhenTheNominatedNodeWillNeverDo) {
  DefaultPreemptionBench bench;
  bench.add(node("n1", 2).taint("why", "", "NoSchedule"));
  bench.add(running("a", "n1", 2, 1)
                .deleted_at("2026-01-01T00:00:00Z")
                .status_json("conditions", R"([{"type":"DisruptionTarget","status":"True",)"
                                           R"("reason":"PreemptionByScheduler"}])"));
  bench.add(node("n2", 2));
  bench.add(running("b", "n2", 2, 1));
  EXPECT_EQ(bench.ask(pod("high", 2, 10).nominated("n1")).nominated_node, "n2");
}

TEST(DefaultPreemption, DoesNotHelpWhatAPreFilterRejected) {
  DefaultPreemptionBench bench;
  bench.add(node("n1", 2));
  bench.add(running("a", "n1", 2, 1));
  const PostFiltered done = bench.ask(pod("high", 2, 10).claim("data").nominated("n1"));
  EXPECT_EQ(done.message,
            "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
  EXPECT_EQ(bench.removed(), Names{});
}

TEST(DefaultPreemption, TakesNominationsFromLessImportantPods) {
  DefaultPreemptionBench bench;
  bench.add(node("n1", 2));
  bench.add(running("a", "n1", 2, 1));
  bench.nominations.set(bench.read(pod("middle", 1, 5).nominated("n1")), api::NodeNameView("n1"));
  bench.nominations.set(bench.read(pod("same", 0, 10).nominated("n1")), api::NodeNameView("n1"));
  bench.ask(pod("high", 2, 10));
  EXPECT_EQ(names(bench.nominations.on(api::NodeNameView("n1"))), "same");
  const std::vector<std::string> writes = bench.server.writes();
  const auto about_middle = std::find_if(writes.begin(), writes.end(), [](const std::string& one) {
    return one.starts_with("patch pods/status default/middle");
  });
  ASSERT_NE(about_middle, writes.end());
  EXPECT_NE(about_middle->find(R"("nominatedNodeName":null)"), std::string::npos);
}

TEST(DefaultPreemption, KeepsAPodOutWhileItsVictimsAreTold) {
  DefaultPreemptionBench bench;
  bench.add(node("n1", 2));
  bench.add(running("a", "n1", 2, 1));
  const PodPtr high = bench.read(pod("high", 2, 10));
  const PodPtr other = bench.read(pod("other", 2, 10));
  auto* gate = dynamic_cast<PreEnqueuePlugin*>(bench.profile().post_filter.at(0));
  ASSERT_NE(gate, nullptr);
  Verdict meanwhile;
  Verdict of_other;
  bench.server.on_write([&](std::string_view write) -> Result<void> {
    if (write != "remove pods default/a") return {};
    meanwhile = gate->pre_enqueue(*high);
    of_other = gate->pre_enqueue(*other);
    return {};
  });
  EXPECT_TRUE(gate->pre_enqueue(*high).ok());
  bench.ask(high);
  ASSERT_EQ(meanwhile.code, Code::kUnresolvable);
  EXPECT_EQ(*meanwhile.reasons,
            Verdict::Reasons{"waiting for the preemption for this pod to be finished"});
  EXPECT_TRUE(of_other.ok());
  EXPECT_TRUE(gate->pre_enqueue(*high).ok());
}

TEST(DefaultPreemption, RefusesArgsThatMakeNoSense) {
  struct Case {
    const char* args;
    std::string error;
  };
  const std::vector<Case> cases = {
      {"{}", ""},
      {R"({"minCandidateNodesPercentage":0,"minCandidateNodesAbsolute":1})", ""},
      {R"({"minCandidateNodesPercentage":101})",
       "minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]"},
      {R"({"minCandidateNodesPercentage":-1})",
       "minCandidateNodesPercentage: Invalid value: -1: not in valid range [0, 100]"},
      {R"({"minCandidateNodesAbsolute":-1})",
       "minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)"},
      {R"({"minCandidateNodesPercentage":0,"minCandidateNodesAbsolute":0})",
       "both minCandidateNodesPercentage and minCandidateNodesAbsolute cannot be zero"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.args);
    testkit::TestContext world;
    const json::Document args = json::parse(c.args).value();
    const auto made = make_default_preemption(world.context(), args.root());
    EXPECT_EQ(made.ok() ? "" : made.status().message(), c.error);
  }
}

}  // namespace
}  // namespace proa::scheduler
