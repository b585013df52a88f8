#include "testkit/scheduler/plugins/test_spread.h"

namespace proa::scheduler::spread_test {
namespace {

// Nodes are asked in order: "yynx" (see SpreadWorld::answers).
struct FilterCase {
  std::string name;
  PodBuilder pod;
  Names nodes;
  Names pods;
  std::string want;
};

void run(const std::vector<FilterCase>& cases) {
  for (const FilterCase& c : cases) {
    SCOPED_TRACE(c.name);
    SpreadWorld world;
    world.add_nodes(c.nodes);
    world.add_pods(c.pods);
    const PodPtr pod = world.read(c.pod);
    const std::unique_ptr<NodeFilter> filter = world.filter(*pod);
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(world.answers(*filter), c.want);
  }
}

const Names kThree{"a node=a", "b node=b", "c node=c"};
// One of four is not meant by the pod's node selector.
const Names kChosen{"a node=a foo=", "b node=b foo=", "x node=x foo=", "y node=y"};
const Names kTainted{"a node=a foo=", "b node=b foo=", "x node=x foo=", "y node=y !"};
const Names k2103{"foo@a", "foo@a", "foo@b", "foo@y", "foo@y", "foo@y"};
const Names k1101{"foo@a", "foo@b", "foo@y"};

Rule with_domains(Rule rule, int min_domains) {
  rule.min_domains = min_domains;
  return rule;
}
TEST(SpreadFilter, KeepsToOneConstraint) {
  run({
      {"no pods yet", waiting("foo", {hard(1, "zone")}), kFour, {}, "yyyy"},
      {"no pods yet, and the pod is not meant",
       waiting("foo", {hard(1, "zone", "bar")}),
       kFour,
       {},
       "yyyy"},
      {"pods of other namespaces don't count",
       waiting("foo", {hard(1, "zone")}),
       kFour,
       {"ns1/foo@a", "ns2/foo@a", "foo@x", "foo@y"},
       "yynn"},
      {"no selector means no pod",
       waiting("foo", {hard(1, "zone", "")}),
       kFour,
       {"foo@x", "foo@y"},
       "yyyy"},
      {"an empty selector counts no pod but its own",
       waiting("foo", {hard(1, "zone", "{}")}),
       kFour,
       {"foo@x", "foo@y"},
       "yyyy"},
      {"3/3", waiting("foo", {hard(1, "zone")}), kFour, k2103, "yyyy"},
      {"a node without the label is no part of it",
       waiting("foo", {hard(1, "zone")}),
       {"a zone=z1 node=a", "b zon=z1 node=b", "x zone=z2 node=x", "y zone=z2 node=y"},
       {"foo@a", "foo@b", "foo@x", "foo@y"},
       "yxnn"},
      {"no node has the label",
       waiting("foo", {hard(1, "rack")}),
       {"a zone=z1 node=a", "x zone=z2 node=x"},
       {},
       "xx"},
      {"2/1/0/3", waiting("foo", {hard(1, "node")}), kFour, k2103, "nnyn"},
      {"2/1/0/3 with skew 2", waiting("foo", {hard(2, "node")}), kFour, k2103, "nyyn"},
      {"2/1/0/3, but the pod does not count itself", waiting("bar", {hard(1, "node")}), kFour,
       k2103, "nyyn"},
      {"pods that are about to go don't count",
       waiting("foo", {hard(1, "node")}),
       {"a node=a", "b node=b"},
       {"-foo@a", "foo@b"},
       "yn"},
  });
}

TEST(SpreadFilter, TakesAnEmptyDomainForGrantedWhereTooFewAreThere) {
  const Names k221{"foo@a", "foo@a", "foo@b", "foo@b", "foo@c"};
  const Names k21{"foo@a", "foo@b", "foo@y"};
  run({
      {"three of four", waiting("foo", {with_domains(hard(2, "node"), 4)}), kThree, k221, "nny"},
      {"three of two", waiting("foo", {with_domains(hard(2, "node"), 2)}), kThree, k221, "yyy"},
      {"two zones of three", waiting("foo", {with_domains(hard(2, "zone"), 3)}), kFour, k21,
       "nnyy"},
      {"two zones of one", waiting("foo", {with_domains(hard(2, "zone"), 1)}), kFour, k21, "yyyy"},
  });
}

TEST(SpreadFilter, CountsOnNodesThatSuitThePod) {
  const PodBuilder on_foo = waiting("foo", {hard(1, "node")}).node_selector({{"foo", ""}});
  run({
      {"2/-/-/3: of those that affinity means",
       waiting("foo", {hard(1, "node")}).node_affinity("node", "In", {"a", "y"}), kFour, k2103,
       "yyyn"},
      {"0/-/0/1: all but one",
       waiting("foo", {hard(1, "zone")}).node_affinity("node", "NotIn", {"b"}),
       kFour,
       {"foo@b", "foo@b", "foo@y"},
       "yynn"},
      {"node selector honored", on_foo, kChosen, k1101, "nnyy"},
      {"node selector ignored",
       waiting("foo", {ignoring_affinity(hard(1, "node"))}).node_selector({{"foo", ""}}), kChosen,
       k1101, "nnyn"},
      {"node affinity honored", waiting("foo", {hard(1, "node")}).node_affinity("foo", "In", {""}),
       kChosen, k1101, "nnyy"},
      {"node affinity ignored",
       waiting("foo", {ignoring_affinity(hard(1, "node"))}).node_affinity("foo", "In", {""}),
       kChosen, k1101, "nnyn"},
      {"taints honored", waiting("foo", {honoring_taints(hard(1, "node"))}), kTainted, k1101,
       "nnyy"},
      {"taints honored, and tolerated",
       waiting("foo", {honoring_taints(hard(1, "node"))}).tolerate("why", "Exists"), kTainted,
       k1101, "nnyn"},
      {"taints ignored", waiting("foo", {hard(1, "node")}), kTainted, k1101, "nnyn"},
  });
}

TEST(SpreadFilter, KeepsToAllConstraints) {
  const std::vector<Rule> both{hard(1, "zone"), hard(1, "node")};
  const std::vector<Rule> mixed{hard(1, "zone"), hard(1, "node", "bar")};
  const std::vector<Rule> zones{hard(1, "zone", "bar"), hard(1, "zone")};
  run({
      {"[3/3, 2/1/0/3]", waiting("foo", both), kFour, k2103, "nnyn"},
      {"[3/4, 2/1/0/4]",
       waiting("foo", both),
       kFour,
       {"foo@a", "foo@a", "foo@b", "foo@y", "foo@y", "foo@y", "foo@y"},
       "nnnn"},
      {"[1/0, 1/0/0/1]", waiting("foo bar", mixed), kFour, {"foo@a", "bar@y"}, "nnyn"},
      {"[1/0, 0/0/1/1]", waiting("foo bar", mixed), kFour, {"foo@a", "bar@x", "bar@y"}, "nnnn"},
      {"[2/3, 1/0/0/1]",
       waiting("foo bar", mixed),
       kFour,
       {"foo@a", "foo bar@a", "foo@y", "foo bar@y", "foo@y"},
       "nynn"},
      {"the pod counts for one of them only",
       waiting("bar", mixed),
       kFour,
       {"foo@a", "bar@x", "bar@y"},
       "yynn"},
      {"a node without one of the labels",
       waiting("foo", both),
       {"a zone=z1 node=a", "b zone=z1 node=b", "x zone=z2", "y zone=z2 node=y"},
       {"foo@a", "foo@y"},
       "nyxn"},
      {"of one label, [2/1, 3/3]",
       waiting("foo bar", zones),
       kFour,
       {"foo bar@a", "foo@a", "foo bar@b", "foo@y", "foo bar@y", "foo@y"},
       "nnyy"},
      {"of one label, [2/1, 3/4]",
       waiting("foo bar", zones),
       kFour,
       {"foo bar@a", "foo@a", "foo bar@b", "foo@y", "foo bar@y", "foo@y", "foo@y"},
       "nnnn"},
  });
}

TEST(SpreadFilter, EachConstraintHasItsOwnPolicies) {
  const Names chosen{"a zone=z1 node=a foo=", "b zone=z1 node=b foo=", "x zone=z2 node=x foo=",
                     "y zone=z2 node=y"};
  const Names tainted{"a zone=z1 node=a foo=", "b zone=z1 node=b foo=", "x zone=z2 node=x foo=",
                      "y zone=z2 node=y !"};
  const Names mixed{"a zone=z1 node=a foo=", "b zone=z1 node=b",
                    "x zone=z2 node=x foo=", "y zone=z2 node=y foo= !"};
  const Pairs foo{{"foo", ""}};
  run({
      {"zone: honor/ignore, node: ignore/ignore",
       waiting("foo", {hard(1, "zone"), ignoring_affinity(hard(1, "node"))}).node_selector(foo),
       chosen, k1101, "nnyn"},
      {"zone: honor/honor, node: honor/ignore",
       waiting("foo", {honoring_taints(hard(1, "zone")), hard(1, "node")}), tainted, k1101, "nnyn"},
      {"zone: honor/ignore, node: honor/ignore",
       waiting("foo", {hard(1, "zone"), hard(1, "node")}).node_selector(foo), mixed, k1101, "nyyn"},
      {"zone: honor/honor, node: ignore/ignore",
       waiting("foo", {honoring_taints(hard(1, "zone")), ignoring_affinity(hard(1, "node"))})
           .node_selector(foo),
       mixed, k1101, "nnyn"},
  });
}

TEST(SpreadFilter, MatchLabelKeysNarrowTheSelector) {
  const Names pods{"foo@a", "foo@b", "foo bar@y"};
  run({
      {"beside a selector", waiting("foo bar", {with_key(hard(1, "zone"), "bar")}), kFour, pods,
       "yynn"},
      {"beside an empty one", waiting("foo bar", {with_key(hard(1, "zone", "{}"), "bar")}), kFour,
       pods, "yynn"},
      {"beside none, they mean nothing", waiting("foo bar", {with_key(hard(1, "zone", ""), "bar")}),
       kFour, pods, "yyyy"},
      {"a label that the pod lacks is left out", waiting("foo", {with_key(hard(1, "zone"), "bar")}),
       kFour, pods, "nnyy"},
  });
}

TEST(SpreadFilter, SoftConstraintsAreNotForIt) {
  SpreadWorld world;
  world.add_nodes(kFour);
  EXPECT_EQ(world.filter(*world.read(waiting("foo", {}))), nullptr);
  EXPECT_EQ(world.filter(*world.read(waiting("foo", {soft(1, "rack")}))), nullptr);
  const auto filter = world.filter(*world.read(waiting("foo", {soft(1, "rack"), hard(1, "zone")})));
  EXPECT_EQ(world.answers(*filter), "yyyy");
}

TEST(SpreadFilter, SaysWhyAndWhatWouldHelp) {
  SpreadWorld world;
  world.add_nodes({"a zone=z1", "b zone=z2", "c"});
  world.add_pods({"foo@a", "foo@a", "foo@a", "foo@b"});
  const auto filter = world.filter(*world.read(waiting("foo", {hard(1, "zone")})));
  const auto check = [&](NodeIndex index) { return filter->check(index, world.cluster.at(index)); };
  const auto suggestion = [&](NodeIndex index) {
    return filter->suggestion(index, world.cluster.at(index));
  };
  EXPECT_EQ(check(0).reasons->at(0), "node(s) didn't match pod topology spread constraints");
  EXPECT_EQ(check(2).reasons->at(0),
            "node(s) didn't match pod topology spread constraints (missing required label)");
  EXPECT_EQ(suggestion(0),
            "remove 2 matching pods from zone=z1 (it has 3, the minimum is 1, maxSkew 1)");
  EXPECT_EQ(suggestion(1), "");
  EXPECT_EQ(suggestion(2), "label it with zone");
}

TEST(SpreadFilter, FollowsPodsThatComeAndGo) {
  SpreadWorld world;
  world.add_nodes(kFour);
  world.add_pods({"foo@a", "foo@b"});
  const auto filter = world.filter(*world.read(waiting("foo", {hard(1, "zone"), hard(1, "node")})));
  EXPECT_EQ(world.answers(*filter), "nnyy");
  const PodPtr on_x = world.read(pod_of("foo@x", "one"));
  const PodPtr other = world.read(pod_of("ns/foo@y", "two"));
  const PodPtr going = world.read(pod_of("-foo@y", "three"));
  filter->pod_added(*other, world.index("y"));
  filter->pod_added(*going, world.index("y"));
  EXPECT_EQ(world.answers(*filter), "nnyy");
  filter->pod_added(*on_x, world.index("x"));
  EXPECT_EQ(world.answers(*filter), "nnny");
  filter->pod_removed(*going, world.index("y"));
  filter->pod_removed(*on_x, world.index("x"));
  EXPECT_EQ(world.answers(*filter), "nnyy");
  // A node was added since: the filter is about to be recreated, and must tolerate it.
  world.add_nodes({"new zone=z9 node=new"});
  filter->pod_added(*on_x, world.index("new"));
}

}  // namespace
}  // namespace proa::scheduler::spread_test
