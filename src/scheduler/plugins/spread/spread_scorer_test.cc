#include "testkit/scheduler/plugins/test_spread.h"

namespace proa::scheduler::spread_test {
namespace {

struct ScoreCase {
  std::string name;
  PodBuilder pod;
  Names nodes;
  Names others;  // nodes that don't take the pod
  Names pods;
  std::vector<int64_t> want;
};

void run(const std::vector<ScoreCase>& cases) {
  for (const ScoreCase& c : cases) {
    SCOPED_TRACE(c.name);
    SpreadWorld world;
    world.add_nodes(c.nodes);
    const std::vector<NodeIndex> feasible = world.nodes();
    world.add_nodes(c.others);
    world.add_pods(c.pods);
    const std::unique_ptr<NodeScorer> scorer = world.scorer(*world.read(c.pod));
    ASSERT_NE(scorer, nullptr);
    EXPECT_EQ(world.scores(*scorer, feasible), c.want);
  }
}

const Names kTwoHosts{"a host=a", "b host=b"};
const Names kHosts{"a host=a", "b host=b", "c host=c", "d host=d"};
const Names kFourHosts{"a zone=z1 host=a", "b zone=z1 host=b", "x zone=z2 host=x",
                       "y zone=z2 host=y"};
const Names k2103{"foo@a", "foo@a", "foo@b", "foo@d", "foo@d", "foo@d"};
const Names k4321{"foo@a", "foo@a", "foo@a", "foo@a", "foo@b",
                  "foo@b", "foo@b", "foo@c", "foo@c", "foo@d"};
const Names k4213{"foo@a", "foo@a", "foo@a", "foo@a", "foo@b",
                  "foo@b", "foo@x", "foo@y", "foo@y", "foo@y"};

TEST(SpreadScorer, PrefersHostsWithFewPods) {
  run({
      {"no pods yet", waiting("foo", {soft(1, kHost)}), kTwoHosts, {}, {}, {100, 100}},
      {"one takes the pod",
       waiting("foo", {soft(1, kHost)}),
       {"a host=a"},
       {"b host=b"},
       {"foo@a", "foo@a", "foo@b"},
       {100}},
      {"1/1", waiting("foo", {soft(1, kHost)}), kTwoHosts, {}, {"foo@a", "foo@b"}, {100, 100}},
      {"2/1/0/3", waiting("foo", {soft(1, kHost)}), kHosts, {}, k2103, {20, 60, 100, 0}},
      {"no selector",
       waiting("foo", {soft(1, kHost, "")}),
       kHosts,
       {},
       k2103,
       {100, 100, 100, 100}},
      {"an empty selector",
       waiting("foo", {soft(1, kHost, "{}")}),
       kHosts,
       {},
       k2103,
       {100, 100, 100, 100}},
      {"2/1/0/3 with skew 2",
       waiting("foo", {soft(2, kHost)}),
       kHosts,
       {},
       k2103,
       {33, 66, 100, 16}},
      {"4/3/2/1 with skew 3",
       waiting("foo", {soft(3, kHost)}),
       kHosts,
       {},
       k4321,
       {44, 66, 77, 100}},
      {"4/2/1, and one does not take the pod",
       waiting("foo", {soft(1, kHost)}),
       {"a host=a", "b host=b", "x host=x"},
       {"y host=y"},
       k4213,
       {33, 83, 100}},
      {"4/-/1: without the label it gets nothing",
       waiting("foo", {soft(1, kHost)}),
       {"a host=a", "b n=b", "x host=x"},
       {"y host=y"},
       k4213,
       {16, 0, 100}},
      {"no node has the label",
       waiting("foo", {soft(1, kHost)}),
       {"a", "b"},
       {},
       {"foo@a"},
       {0, 0}},
      {"two nodes of one name count for themselves",
       waiting("foo", {soft(1, kHost)}),
       {"a host=h", "b host=h"},
       {},
       {"foo@a"},
       {0, 100}},
      {"policies don't matter for hosts",
       waiting("foo", {soft(1, kHost)}).node_selector({{"foo", ""}}),
       {"a host=a foo=", "b host=b"},
       {},
       {"foo@b"},
       {100, 0}},
      {"pods of other namespaces don't count",
       waiting("foo", {soft(1, kHost)}),
       kTwoHosts,
       {},
       {"ns1/foo@a", "foo@a", "foo@b", "foo@b"},
       {100, 33}},
      {"pods that are about to go don't count",
       waiting("foo", {soft(1, kHost)}),
       kTwoHosts,
       {},
       {"-foo@a", "foo@b"},
       {100, 0}},
  });
}

TEST(SpreadScorer, PrefersZonesWithFewPods) {
  const std::vector<Rule> both{soft(1, "zone"), soft(1, kHost)};
  const std::vector<Rule> mixed{soft(1, "zone"), soft(1, kHost, "bar")};
  const Names k_mixed{"foo@a", "foo bar@b", "foo@y", "bar@y"};
  run({
      {"4+2/1+3",
       waiting("foo", {soft(1, "zone")}),
       {"a zone=z1 host=a", "b zone=z1 host=b", "x zone=z2 host=x"},
       {"y zone=z2 host=y"},
       k4213,
       {75, 75, 100}},
      {"zones and hosts, two of four take it",
       waiting("foo", both),
       {"a zone=z1 host=a", "x zone=z2 host=x"},
       {"b zone=z1 host=b", "y zone=z2 host=y"},
       {"foo@a", "foo@a", "foo@b", "foo@x", "foo@x", "foo@y", "foo@y", "foo@y", "foo@y"},
       {100, 63}},
      {"zones twice",
       waiting("foo bar", {soft(1, "zone"), soft(1, "zone", "bar")}),
       {"a zone=z1", "x zone=z2"},
       {"b zone=z1", "y zone=z2"},
       {"foo bar@a", "foo@a", "foo bar@b", "foo@y", "foo bar@y", "foo@y"},
       {85, 100}},
      {"other pods for zones than for hosts",
       waiting("foo bar", mixed),
       kFourHosts,
       {},
       k_mixed,
       {60, 20, 100, 60}},
      {"other pods, and some nodes have none",
       waiting("foo bar", mixed),
       kFourHosts,
       {},
       {"bar@b", "foo@x", "foo bar@y"},
       {100, 60, 40, 0}},
      {"other pods, and three of four take it",
       waiting("foo bar", mixed),
       {"a zone=z1 host=a", "b zone=z1 host=b", "x zone=z2 host=x"},
       {"y zone=z2 host=y"},
       k_mixed,
       {50, 25, 100}},
      {"with label keys beside empty selectors",
       waiting("foo bar",
               {with_key(soft(1, "zone", "{}"), "foo"), with_key(soft(1, kHost, "{}"), "bar")}),
       kFourHosts,
       {},
       k_mixed,
       {60, 20, 100, 60}},
      {"with label keys beside selectors",
       waiting("foo bar baz", {soft(1, "zone"), with_key(soft(1, kHost, "bar"), "baz")}),
       kFourHosts,
       {},
       {"foo@a", "foo bar baz@b", "foo@x", "bar@x", "bar baz@x"},
       {60, 20, 60, 100}},
  });
}

TEST(SpreadScorer, CountsOnNodesThatSuitThePod) {
  const Names chosen{"a node=a foo=", "b node=b foo=", "c node=c"};
  const Names tainted{"a node=a", "b node=b", "c node=c !"};
  const Names k211{"foo@a", "foo@a", "foo@b", "foo@c"};
  const Pairs foo{{"foo", ""}};
  Rule many = soft(2, "node");
  many.min_domains = 10;
  run({
      {"minDomains means nothing here",
       waiting("foo", {many}),
       {"a node=a", "b node=b", "c node=c"},
       {},
       {"foo@a", "foo@a", "foo@b", "foo@b", "foo@c"},
       {75, 75, 100}},
      {"node selector honored",
       waiting("foo", {soft(1, "node")}).node_selector(foo),
       chosen,
       {},
       k211,
       {0, 33, 100}},
      {"node selector ignored",
       waiting("foo", {ignoring_affinity(soft(1, "node"))}).node_selector(foo),
       chosen,
       {},
       k211,
       {66, 100, 100}},
      {"node affinity honored",
       waiting("foo", {soft(1, "node")}).node_affinity("foo", "In", {""}),
       chosen,
       {},
       k211,
       {0, 33, 100}},
      {"node affinity ignored",
       waiting("foo", {ignoring_affinity(soft(1, "node"))}).node_affinity("foo", "In", {""}),
       chosen,
       {},
       k211,
       {66, 100, 100}},
      {"taints honored",
       waiting("foo", {honoring_taints(soft(1, "node"))}),
       tainted,
       {},
       k211,
       {0, 33, 100}},
      {"taints ignored", waiting("foo", {soft(1, "node")}), tainted, {}, k211, {66, 100, 100}},
  });
}

TEST(SpreadScorer, HardConstraintsAreNotForIt) {
  SpreadWorld world;
  world.add_nodes(kFourHosts);
  EXPECT_EQ(world.scorer(*world.read(waiting("foo", {}))), nullptr);
  EXPECT_EQ(world.scorer(*world.read(waiting("foo", {hard(1, "zone")}))), nullptr);
}

TEST(SpreadScorer, FollowsPodsThatComeAndGo) {
  SpreadWorld world;
  world.add_nodes(kHosts);
  world.add_pods(k2103);
  const auto scorer = world.scorer(*world.read(waiting("foo", {soft(1, kHost)})));
  const PodPtr pod = world.read(pod_of("foo@c", "one"));
  const PodPtr going = world.read(pod_of("-foo@a", "two"));
  scorer->pod_added(*pod, world.index("c"));
  scorer->pod_added(*going, world.index("a"));
  EXPECT_EQ(world.scores(*scorer, world.nodes()), (std::vector<int64_t>{60, 100, 100, 40}));
  scorer->pod_removed(*pod, world.index("c"));
  EXPECT_EQ(world.scores(*scorer, world.nodes()), (std::vector<int64_t>{20, 60, 100, 0}));
}

}  // namespace
}  // namespace proa::scheduler::spread_test
