#include "scheduler/plugins/basic/scheduling_gates.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/plugins/test_bench.h"

namespace proa::scheduler {
namespace {

using testkit::make_pod;
using testkit::PodBuilder;

TEST(SchedulingGates, KeepsPodsOutWhileTheyHaveGates) {
  TestBench bench(make_scheduling_gates);
  auto& gates = bench.as<PreEnqueuePlugin>();
  const auto say = [&](const PodBuilder& pod) {
    return TestBench::say(gates.pre_enqueue(*bench.read(pod)));
  };
  EXPECT_EQ(say(make_pod("p")), "");
  EXPECT_EQ(say(make_pod("p").gate("foo")), "Unresolvable: waiting for scheduling gates: [foo]");
  EXPECT_EQ(say(make_pod("p").gate("foo").gate("bar")),
            "Unresolvable: waiting for scheduling gates: [foo bar]");
}

TEST(SchedulingGates, HelpsOnlyThePodWhoseGatesAreGone) {
  TestBench bench(make_scheduling_gates);
  const PodBuilder gated = make_pod("p").uid("1").gate("foo");
  const PodBuilder open = make_pod("p").uid("1");
  const PodBuilder other = make_pod("q").uid("2");
  EXPECT_TRUE(bench.helped_by_pod(gated, EventResource::kUnscheduledPod, gated, &open));
  EXPECT_FALSE(bench.helped_by_pod(gated, EventResource::kUnscheduledPod, other, &other));
}

}  // namespace
}  // namespace proa::scheduler
