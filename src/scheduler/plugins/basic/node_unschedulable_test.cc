#include "scheduler/plugins/basic/node_unschedulable.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/plugins/test_bench.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;
using testkit::NodeBuilder;
using testkit::PodBuilder;

constexpr const char* kTaint = "node.kubernetes.io/unschedulable";

TEST(NodeUnschedulable, KeepsAwayFromClosedNodes) {
  TestBench bench(make_node_unschedulable);
  const NodeIndex open = bench.add(make_node("open"));
  const NodeIndex closed = bench.add(make_node("closed").unschedulable());
  EXPECT_EQ(bench.check(make_pod("p"), open), "");
  EXPECT_EQ(bench.check(make_pod("p"), closed), "Unresolvable: node(s) were unschedulable");
  EXPECT_EQ(bench.suggestion(make_pod("p"), closed), "kubectl uncordon closed");
  EXPECT_EQ(bench.check(make_pod("p").tolerate(kTaint, "Exists", "", "NoSchedule"), closed), "");
  EXPECT_EQ(bench.check(make_pod("p").tolerate(kTaint, "Exists", "", "NoExecute"), closed),
            "Unresolvable: node(s) were unschedulable");
}

TEST(NodeUnschedulable, IsHelpedByNodesThatOpen) {
  TestBench bench(make_node_unschedulable);
  const PodBuilder pod = make_pod("p");
  const NodeBuilder open = make_node("n");
  const NodeBuilder closed = make_node("n").unschedulable();
  EXPECT_TRUE(bench.helped_by_node(pod, nullptr, open));
  EXPECT_FALSE(bench.helped_by_node(pod, nullptr, closed));
  EXPECT_TRUE(bench.helped_by_node(pod, &closed, open));
  EXPECT_FALSE(bench.helped_by_node(pod, &open, closed));
  EXPECT_FALSE(bench.helped_by_node(pod, &open, open));
  EXPECT_FALSE(bench.helped_by_node(pod, &closed, closed));
}

TEST(NodeUnschedulable, IsHelpedByTheTolerationOfThePodItself) {
  TestBench bench(make_node_unschedulable);
  const PodBuilder pod = make_pod("p").uid("1");
  const PodBuilder tolerates = PodBuilder(pod).tolerate(kTaint, "Exists", "", "NoSchedule");
  const PodBuilder unrelated = PodBuilder(pod).tolerate("foo", "Exists");
  const PodBuilder other = PodBuilder(tolerates).uid("2");
  constexpr auto kItself = EventResource::kUnscheduledPod;
  EXPECT_TRUE(bench.helped_by_pod(pod, kItself, pod, &tolerates));
  EXPECT_FALSE(bench.helped_by_pod(pod, kItself, pod, &unrelated));
  EXPECT_FALSE(bench.helped_by_pod(pod, kItself, pod, &other));
}

}  // namespace
}  // namespace proa::scheduler
