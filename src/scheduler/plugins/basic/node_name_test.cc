#include "scheduler/plugins/basic/node_name.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/plugins/test_bench.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;

TEST(NodeName, TakesTheNodeThatThePodNames) {
  TestBench bench(make_node_name);
  const NodeIndex foo = bench.add(make_node("foo"));
  EXPECT_EQ(bench.check(make_pod("p"), foo), "");
  EXPECT_EQ(bench.check(make_pod("p").node("foo"), foo), "");
  EXPECT_EQ(bench.check(make_pod("p").node("bar"), foo),
            "Unresolvable: node(s) didn't match the requested node name");
  EXPECT_EQ(bench.suggestion(make_pod("p").node("bar"), foo), "spec.nodeName requires node bar");
}

TEST(NodeName, IsWorkedOutAnewForAPodThatNamesAnother) {
  TestBench bench(make_node_name);
  const auto made = bench.as<FilterPlugin>().pre_filter(*bench.read(make_pod("p").node("foo")));
  EXPECT_TRUE(made.filter->is_current(*bench.read(make_pod("q").node("foo"))));
  EXPECT_FALSE(made.filter->is_current(*bench.read(make_pod("q").node("bar"))));
}

}  // namespace
}  // namespace proa::scheduler
