#include "scheduler/plugins/basic/taint_toleration.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/plugins/test_bench.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;
using testkit::NodeBuilder;
using testkit::PodBuilder;
using Scores = std::vector<int64_t>;

constexpr const char* kRejected = "Unresolvable: node(s) had untolerated taint(s)";

TEST(TaintToleration, RejectsNodesWithTaintsThatAreNotTolerated) {
  struct Case {
    const char* name;
    PodBuilder pod;
    NodeBuilder node;
    const char* says;
  };
  const NodeBuilder user1 = make_node("n").taint("dedicated", "user1", "NoSchedule");
  const Case cases[] = {
      {"no toleration", make_pod("p"), user1, kRejected},
      {"its value", make_pod("p").tolerate("dedicated", "Equal", "user1", "NoSchedule"), user1, ""},
      {"another value", make_pod("p").tolerate("dedicated", "Equal", "user2", "NoSchedule"), user1,
       kRejected},
      {"any value", make_pod("p").tolerate("foo", "Exists", "", "NoSchedule"),
       make_node("n").taint("foo", "bar", "NoSchedule"), ""},
      {"one of two taints", make_pod("p").tolerate("dedicated", "Equal", "user2", "NoSchedule"),
       make_node("n").taint("dedicated", "user2", "NoSchedule").taint("foo", "bar", "NoSchedule"),
       kRejected},
      {"two of two taints",
       make_pod("p")
           .tolerate("dedicated", "Equal", "user2", "NoSchedule")
           .tolerate("foo", "Exists", "", "NoSchedule"),
       make_node("n").taint("dedicated", "user2", "NoSchedule").taint("foo", "bar", "NoSchedule"),
       ""},
      {"of another effect", make_pod("p").tolerate("foo", "Equal", "bar", "PreferNoSchedule"),
       make_node("n").taint("foo", "bar", "NoSchedule"), kRejected},
      {"of any effect", make_pod("p").tolerate("foo", "Equal", "bar"),
       make_node("n").taint("foo", "bar", "NoExecute"), ""},
      {"a taint that only asks", make_pod("p"), make_node("n").taint("a", "b", "PreferNoSchedule"),
       ""},
      {"everything", make_pod("p").tolerate("", "Exists"), user1, ""},
      {"no taints", make_pod("p"), make_node("n"), ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    TestBench bench(make_taint_toleration);
    const NodeIndex node = bench.add(c.node);
    EXPECT_EQ(bench.check(c.pod, node), c.says);
  }
}

TEST(TaintToleration, SaysWhichTaintIsInTheWay) {
  TestBench bench(make_taint_toleration);
  const NodeIndex node = bench.add(
      make_node("n").taint("a", "", "PreferNoSchedule").taint("gpu", "yes", "NoSchedule"));
  EXPECT_EQ(bench.suggestion(make_pod("p"), node),
            "tolerate taint gpu=yes:NoSchedule, or remove it");
}

Scores scores(const PodBuilder& pod, const std::vector<NodeBuilder>& nodes) {
  TestBench bench(make_taint_toleration);
  for (const NodeBuilder& node : nodes) bench.add(node);
  return bench.scores(pod);
}

TEST(TaintToleration, PrefersNodesWithFewerTaintsThatAskToStayAway) {
  constexpr const char* kAsks = "PreferNoSchedule";
  const PodBuilder tolerant = make_pod("p").tolerate("foo", "Equal", "bar", kAsks);
  EXPECT_EQ(scores(tolerant, {make_node("a").taint("foo", "bar", kAsks),
                              make_node("b").taint("foo", "blah", kAsks)}),
            (Scores{100, 0}));
  const PodBuilder two = make_pod("p")
                             .tolerate("cpu-type", "Equal", "arm64", kAsks)
                             .tolerate("disk-type", "Equal", "ssd", kAsks);
  EXPECT_EQ(
      scores(two,
             {make_node("a"), make_node("b").taint("cpu-type", "arm64", kAsks),
              make_node("c").taint("cpu-type", "arm64", kAsks).taint("disk-type", "ssd", kAsks)}),
      (Scores{100, 100, 100}));
  EXPECT_EQ(scores(tolerant, {make_node("a"), make_node("b").taint("x", "y", kAsks),
                              make_node("c").taint("x", "y", kAsks).taint("z", "y", kAsks)}),
            (Scores{100, 50, 0}));
}

TEST(TaintToleration, ScoresOnlyTaintsAndTolerationsThatAsk) {
  const PodBuilder hard = make_pod("p")
                              .tolerate("cpu-type", "Equal", "arm64", "NoSchedule")
                              .tolerate("disk-type", "Equal", "ssd", "NoSchedule");
  EXPECT_EQ(scores(hard, {make_node("a"), make_node("b").taint("cpu-type", "arm64", "NoSchedule"),
                          make_node("c")
                              .taint("cpu-type", "arm64", "PreferNoSchedule")
                              .taint("disk-type", "ssd", "PreferNoSchedule")}),
            (Scores{100, 100, 0}));
  EXPECT_EQ(
      scores(make_pod("p"), {make_node("a"), make_node("b").taint("a", "b", "PreferNoSchedule")}),
      (Scores{100, 0}));
  EXPECT_EQ(scores(make_pod("p"), {make_node("a"), make_node("b")}), (Scores{100, 100}));
}

TEST(TaintToleration, IsHelpedByNodesThatBecomeTolerable) {
  TestBench bench(make_taint_toleration);
  const PodBuilder pod = make_pod("p").tolerate("dedicated", "Equal", "user1", "NoSchedule");
  const NodeBuilder fine = make_node("n").taint("dedicated", "user1", "NoSchedule");
  const NodeBuilder bad = make_node("n").taint("dedicated", "user2", "NoSchedule");
  EXPECT_TRUE(bench.helped_by_node(pod, nullptr, fine));
  EXPECT_FALSE(bench.helped_by_node(pod, nullptr, bad));
  EXPECT_TRUE(bench.helped_by_node(pod, &bad, fine));
  EXPECT_FALSE(bench.helped_by_node(pod, &fine, bad));
  EXPECT_FALSE(bench.helped_by_node(pod, &fine, make_node("n")));
}

TEST(TaintToleration, IsHelpedByTolerationsOfThePodItself) {
  TestBench bench(make_taint_toleration);
  const PodBuilder pod = make_pod("p").uid("1");
  const PodBuilder changed = PodBuilder(pod).tolerate("foo", "Exists");
  const PodBuilder other = PodBuilder(changed).uid("2");
  EXPECT_TRUE(bench.helped_by_pod(pod, EventResource::kUnscheduledPod, pod, &changed));
  EXPECT_FALSE(bench.helped_by_pod(pod, EventResource::kUnscheduledPod, pod, &other));
}

}  // namespace
}  // namespace proa::scheduler
