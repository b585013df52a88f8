#include "scheduler/plugins/affinity/affinity_filter.h"

#include "testkit/scheduler/plugins/test_affinity.h"

namespace proa::scheduler::affinity_test {
namespace affinity_filter_test {

constexpr std::string_view kNear = "node(s) didn't match pod affinity rules";
constexpr std::string_view kFar = "node(s) didn't match pod anti-affinity rules";
constexpr std::string_view kUnwanted = "node(s) didn't satisfy existing pods anti-affinity rules";

const Pairs kScan = {{"service", "securityscan"}};
const Pairs kSecurity = {{"security", "S1"}};
const std::string kScans = "service in (securityscan,value2)";

void add_teams(AffinityWorld& world) {
  world.put_namespace("subteam1.team1", {{"team", "team1"}});
  world.put_namespace("subteam2.team1", {{"team", "team1"}});
  world.put_namespace("subteam1.team2", {{"team", "team2"}});
  world.put_namespace("subteam2.team2", {{"team", "team2"}});
}

// "" for a node that takes the pod, else the reason; with the code that belongs to it.
std::string said_of(AffinityWorld& world, NodeFilter* filter, NodeIndex node) {
  if (filter == nullptr) return "";
  const Verdict verdict = filter->check(node, world.cluster.at(node));
  if (verdict.ok()) return "";
  EXPECT_EQ(verdict.reasons->size(), 1u);
  const std::string& reason = verdict.reasons->front();
  EXPECT_EQ(verdict.code, reason == kNear ? Code::kUnresolvable : Code::kUnschedulable);
  return reason;
}

struct OneNodeCase {
  std::string name;
  TestPod pod = {};
  std::vector<TestPod> others = {};
  std::string_view reason = {};
};

// On one node with a region and a zone.
void expect_on_one_node(const std::vector<OneNodeCase>& cases) {
  for (const OneNodeCase& c : cases) {
    SCOPED_TRACE(c.name);
    AffinityWorld world;
    add_teams(world);
    world.put(TestNode{.name = "node1", .labels = {{"region", "r1"}, {"zone", "z11"}}});
    for (const TestPod& other : c.others) world.put(other);
    const PodPtr pod = world.read(c.pod);
    const auto filter = world.filter(*pod);
    EXPECT_EQ(said_of(world, filter.get(), 0), c.reason);
    EXPECT_EQ(filter == nullptr || filter->suggestion(0, world.cluster.at(0)).empty(),
              c.reason.empty());
  }
}

TEST(AffinityFilter, FollowsThePodsOwnAffinity) {
  const TestPod scan{.labels = kScan, .node = "node1"};
  const std::string here = "service,!wrongkey";
  expect_on_one_node({
      {.name = "no terms, nobody there"},
      {.name = "a value that is wanted",
       .pod = {.labels = kSecurity, .terms = {near("region", kScans)}},
       .others = {scan}},
      {.name = "a value that is not unwanted",
       .pod = {.labels = kSecurity,
               .terms = {near("region", "service notin (securityscan3,value3)")}},
       .others = {scan}},
      {.name = "another namespace",
       .pod = {.labels = kSecurity, .terms = {near("region", kScans).in({"other"})}},
       .others = {{.labels = kScan, .node = "node1", .name_space = "ns"}},
       .reason = kNear},
      {.name = "another value, and a key that no node has",
       .pod = {.labels = kScan, .terms = {near("", "service in (antivirusscan,value2)")}},
       .others = {scan},
       .reason = kNear},
      {.name = "several terms, all met by one pod",
       .pod = {.labels = kSecurity,
               .terms = {near("region", here),
                         near("region", "service in (securityscan),service notin (Wrong)")}},
       .others = {scan}},
      {.name = "several terms, one of them not met",
       .pod = {.labels = kSecurity,
               .terms = {near("region", here),
                         near("region", "service in (securityscan2),service notin (Wrong)")}},
       .others = {scan},
       .reason = kNear},
      {.name = "not even itself is meant",
       .pod = {.labels = kScan, .terms = {near("region", "service notin (securityscan,value2)")}},
       .others = {{.labels = kScan, .node = "node2"}},
       .reason = kNear},
      {.name = "the first of its kind may go anywhere",
       .pod = {.labels = kScan, .terms = {near("region", kScans)}}},
      {.name = "still the first when its like is on a node that is not there",
       .pod = {.labels = kScan, .terms = {near("region", kScans)}},
       .others = {{.labels = kScan, .node = "node2"}}},
      {.name = "the first of its kind needs the label of the node",
       .pod = {.labels = kScan, .terms = {near("rack", kScans)}},
       .reason = kNear},
  });
}

TEST(AffinityFilter, FollowsAntiAffinityOfBothSides) {
  const TestPod scan{.labels = kScan, .node = "node1"};
  const TestTerm near_scans = near("region", kScans);
  const TestTerm far_viruses = far("node", "service in (antivirusscan,value2)");
  const Pairs abc = {{"abc", ""}, {"xyz", ""}};
  const Pairs def = {{"def", ""}, {"xyz", ""}};
  const std::vector<TestTerm> far_both = {far("zone", "abc"), far("zone", "def")};
  expect_on_one_node({
      {.name = "near is met, far is not there",
       .pod = {.labels = kSecurity, .terms = {near_scans, far_viruses}},
       .others = {scan}},
      {.name = "the other keeps away from others",
       .pod = {.labels = kSecurity, .terms = {near_scans, far_viruses}},
       .others = {{.labels = kScan, .node = "node1", .terms = {far_viruses}}}},
      {.name = "near is met, far is there",
       .pod = {.labels = kSecurity, .terms = {near_scans, far("zone", kScans)}},
       .others = {scan},
       .reason = kFar},
      {.name = "its own terms are met, but the other wants it far",
       .pod = {.labels = kScan, .terms = {near_scans, far_viruses}},
       .others = {{.labels = kScan, .node = "node1", .terms = {far("zone", kScans)}}},
       .reason = kUnwanted},
      {.name = "a pod without terms, unwanted",
       .pod = {.labels = kScan},
       .others = {{.labels = kScan, .node = "node1", .terms = {far("zone", kScans)}}},
       .reason = kUnwanted},
      {.name = "a pod without terms, not meant",
       .pod = {.labels = kScan},
       .others = {{.labels = kScan,
                   .node = "node1",
                   .terms = {far("zone", "service notin (securityscan,value2)")}}}},
      {.name = "one of its terms means the other, which does not mind it",
       .pod = {.labels = kScan, .terms = {far("region", "service"), far("region", "security")}},
       .others = {{.labels = kSecurity, .node = "node1", .terms = {far("zone", "security")}}},
       .reason = kFar},
      {.name = "by the same label",
       .pod = {.labels = kScan, .terms = {far("zone", "service"), far("zone", "security")}},
       .others = {{.labels = kSecurity, .node = "node1", .terms = {far("zone", "security")}}},
       .reason = kFar},
      {.name = "the other way round",
       .pod = {.labels = kSecurity, .terms = {far("zone", "security")}},
       .others = {{.labels = kScan,
                   .node = "node1",
                   .terms = {far("zone", "service"), far("zone", "security")}}},
       .reason = kUnwanted},
      {.name = "each is meant by a term of the other",
       .pod = {.labels = abc, .terms = far_both},
       .others = {{.labels = def, .node = "node1", .terms = far_both}},
       .reason = kFar},
      {.name = "each is meant by a term of the other, turned round",
       .pod = {.labels = def, .terms = far_both},
       .others = {{.labels = abc, .node = "node1", .terms = far_both}},
       .reason = kFar},
  });
}

TEST(AffinityFilter, LooksAtNamespaces) {
  const std::string team = "team in (team1)";
  const auto in = [](std::string name_space) {
    return TestPod{.labels = kScan, .node = "node1", .name_space = std::move(name_space)};
  };
  const auto far_from = [&](std::string which, std::string mine = "subteam1.team1") {
    return TestPod{.labels = kSecurity,
                   .terms = {far("zone", kScans).in_namespaces(std::move(which))},
                   .name_space = std::move(mine)};
  };
  const TestPod near_team{.labels = kSecurity,
                          .terms = {near("region", kScans).in_namespaces(team)}};
  const TestPod seen_by_others{.labels = kScan, .name_space = "subteam1.team1"};
  const auto other = [](TestTerm term) {
    return TestPod{.node = "node1", .terms = {std::move(term)}};
  };
  expect_on_one_node({
      {.name = "near, selected", .pod = near_team, .others = {in("subteam1.team1")}},
      {.name = "near, not selected",
       .pod = near_team,
       .others = {in("subteam1.team2")},
       .reason = kNear},
      {.name = "far, selected",
       .pod = far_from(team),
       .others = {in("subteam2.team1")},
       .reason = kFar},
      {.name = "far, all", .pod = far_from(""), .others = {in("subteam2.team1")}, .reason = kFar},
      {.name = "far, not selected", .pod = far_from(team), .others = {in("subteam1.team2")}},
      {.name = "a selector leaves out the pod's own namespace",
       .pod = far_from("team in (team2)"),
       .others = {in("subteam1.team1")}},
      {.name = "far, all, also where the namespace is not known",
       .pod = far_from(""),
       .others = {in("unknown")},
       .reason = kFar},
      {.name = "a namespace that is not known is not selected by what it lacks",
       .pod = far_from("!team"),
       .others = {in("unknown")}},
      {.name = "another pod selects its namespace",
       .pod = seen_by_others,
       .others = {other(far("zone", kScans).in_namespaces(team))},
       .reason = kUnwanted},
      {.name = "another pod names its namespace",
       .pod = seen_by_others,
       .others = {other(far("zone", kScans).in({"a", "subteam1.team1", "z"}))},
       .reason = kUnwanted},
      {.name = "another pod selects another",
       .pod = seen_by_others,
       .others = {other(far("zone", kScans).in_namespaces("team in (team2)"))}},
      {.name = "to other pods a namespace that is not known has no labels",
       .pod = {.labels = kScan, .name_space = "unknown"},
       .others = {other(far("zone", kScans).in_namespaces("!team"))},
       .reason = kUnwanted},
  });
}

struct NodesCase {
  std::string name;
  TestPod pod = {};
  std::vector<TestPod> others = {};
  std::vector<TestNode> nodes = {};
  std::vector<std::string_view> reasons = {};
};

void expect_on_nodes(const std::vector<NodesCase>& cases) {
  for (const NodesCase& c : cases) {
    SCOPED_TRACE(c.name);
    AffinityWorld world;
    for (const TestNode& node : c.nodes) world.put(node);
    for (const TestPod& other : c.others) world.put(other);
    const PodPtr pod = world.read(c.pod);
    const auto filter = world.filter(*pod);
    for (NodeIndex i = 0; i < c.nodes.size(); ++i) {
      EXPECT_EQ(said_of(world, filter.get(), i), c.reasons[i]) << c.nodes[i].name;
    }
  }
}

std::vector<TestNode> two_nodes(std::string zone_a, std::string zone_b) {
  return {{"nodeA", {{"region", "r1"}, {"zone", std::move(zone_a)}, {"hostname", "nodeA"}}},
          {"nodeB", {{"region", "r1"}, {"zone", std::move(zone_b)}, {"hostname", "nodeB"}}}};
}

const std::vector<TestNode> kCountries = {{"nodeA", {{"region", "China"}}},
                                          {"nodeB", {{"region", "China"}, {"az", "az1"}}},
                                          {"nodeC", {{"region", "India"}}}};

TEST(AffinityFilter, CountsByDomains) {
  const Pairs both = {{"foo", "bar"}, {"service", "securityscan"}};
  const std::vector<TestTerm> near_both = {near("zone", "foo=bar"),
                                           near("zone", "service=securityscan")};
  expect_on_nodes({
      {.name = "near: all nodes of the domain will do",
       .pod = {.terms = {near("region", "foo=bar")}},
       .others = {{.labels = {{"foo", "bar"}}, .node = "nodeA"}},
       .nodes = kCountries,
       .reasons = {"", "", kNear}},
      {.name = "the first of its kind: others meet only some of the terms",
       .pod = {.labels = both, .terms = near_both},
       .others = {{.labels = {{"foo", "bar"}}, .node = "nodeA"}},
       .nodes = two_nodes("az1", "az2"),
       .reasons = {"", ""}},
      {.name = "the first of its kind, on nodes without the label",
       .pod = {.labels = both, .terms = near_both},
       .others = {{.labels = {{"foo", "bar"}}, .node = "nodeA"}},
       .nodes = {{"nodeA", {{"zoneLabel", "az1"}}}, {"nodeB", {{"zoneLabel", "az2"}}}},
       .reasons = {kNear, kNear}},
      {.name = "still the first: its like is on a node that has no such label",
       .pod = {.labels = both, .terms = near_both},
       .others = {{.labels = both, .node = "nodeC"}},
       .nodes = {{"nodeA", {{"zone", "az1"}}}, {"nodeB", {{"zone", "az2"}}}, {"nodeC", {}}},
       .reasons = {"", "", kNear}},
      {.name = "far: no node of the domain will do",
       .pod = {.terms = {far("region", "foo=abc")}},
       .others = {{.labels = {{"foo", "abc"}}, .node = "nodeA"}},
       .nodes = kCountries,
       .reasons = {kFar, kFar, ""}},
      {.name = "far by any of the terms",
       .pod = {.terms = {far("region", "foo=abc"), far("zone", "service=securityscan")}},
       .others = {{.labels = {{"foo", "abc"}, {"service", "securityscan"}}, .node = "nodeA"}},
       .nodes = two_nodes("z1", "z2"),
       .reasons = {kFar, kFar}},
      {.name = "a pod of another namespace does not mind it",
       .pod = {.labels = {{"foo", "123"}}, .terms = {far("region", "foo=bar")}, .name_space = "n1"},
       .others = {{.labels = {{"foo", "bar"}}, .node = "nodeA", .name_space = "n1"},
                  {.node = "nodeC", .terms = {far("region", "foo=123")}, .name_space = "n2"}},
       .nodes = kCountries,
       .reasons = {kFar, kFar, ""}},
      {.name = "near: one pod must meet all terms",
       .pod = {.terms = {near("region", "foo"), near("zone", "bar")}},
       .others = {{.labels = {{"foo", ""}}, .node = "nodeA"},
                  {.labels = {{"bar", ""}}, .node = "nodeB"}},
       .nodes = two_nodes("z1", "z2"),
       .reasons = {kNear, kNear}},
      {.name = "near: one pod meets all terms",
       .pod = {.terms = {near("region", "foo"), near("zone", "bar")}},
       .others = {{.labels = {{"foo", ""}, {"bar", ""}}, .node = "nodeA"}},
       .nodes = two_nodes("z1", "z1"),
       .reasons = {"", ""}},
      {.name = "near by two labels, of which the second differs",
       .pod = {.terms = {near("region", "foo"), near("zone", "bar")}},
       .others = {{.labels = {{"foo", ""}, {"bar", ""}}, .node = "nodeA"}},
       .nodes = two_nodes("z1", "z2"),
       .reasons = {"", kNear}},
  });
}

TEST(AffinityFilter, CountsTermsWithTheirLabels) {
  const Pairs foo_bar = {{"foo", ""}, {"bar", ""}};
  const TestTerm nowhere = far("invalid-node-label", "foo");
  expect_on_nodes({
      {.name = "a pod minds it, by a label that no node has",
       .pod = {.labels = {{"foo", ""}}},
       .others = {{.node = "nodeA", .terms = {nowhere}}},
       .nodes = two_nodes("z1", "z1"),
       .reasons = {"", ""}},
      {.name = "it minds a pod, by a label that no node has",
       .pod = {.terms = {nowhere}},
       .others = {{.labels = {{"foo", ""}}, .node = "nodeA"}},
       .nodes = two_nodes("z1", "z1"),
       .reasons = {"", ""}},
      {.name = "two pods mind it, by different labels",
       .pod = {.labels = foo_bar},
       .others = {{.node = "nodeA", .terms = {far("zone", "foo")}},
                  {.node = "nodeA", .terms = {far("region", "bar")}}},
       .nodes = two_nodes("z1", "z2"),
       .reasons = {kUnwanted, kUnwanted}},
      {.name = "it minds two pods, by different labels",
       .pod = {.terms = {far("zone", "foo"), far("region", "bar")}},
       .others = {{.labels = {{"foo", ""}}, .node = "nodeA"},
                  {.labels = {{"bar", ""}}, .node = "nodeB"}},
       .nodes = two_nodes("z1", "z2"),
       .reasons = {kFar, kFar}},
      {.name = "one of a pod's two labels is there",
       .pod = {.labels = foo_bar},
       .others = {{.node = "nodeA", .terms = {nowhere, far("zone", "bar")}}},
       .nodes = two_nodes("z1", "z2"),
       .reasons = {kUnwanted, ""}},
      {.name = "one of its own two labels is there",
       .pod = {.terms = {nowhere, far("zone", "bar")}},
       .others = {{.labels = foo_bar, .node = "nodeA"}},
       .nodes = two_nodes("z1", "z2"),
       .reasons = {kFar, ""}},
      {.name = "both of a pod's labels are there",
       .pod = {.labels = foo_bar},
       .others = {{.node = "nodeA", .terms = {far("region", "foo"), far("zone", "bar")}}},
       .nodes = two_nodes("z1", "z2"),
       .reasons = {kUnwanted, kUnwanted}},
      {.name = "both of its own labels are there",
       .pod = {.terms = {far("region", "foo"), far("zone", "bar")}},
       .others = {{.labels = foo_bar, .node = "nodeA"}},
       .nodes = two_nodes("z1", "z2"),
       .reasons = {kFar, kFar}},
      {.name = "pods with two terms, of which one means it",
       .pod = {.labels = foo_bar},
       .others = {{.node = "nodeA", .terms = {far("zone", "foo"), far("zone", "labelA")}},
                  {.node = "nodeB", .terms = {far("zone", "bar"), far("zone", "labelB")}}},
       .nodes = {{"nodeA", {{"zone", "z1"}}},
                 {"nodeB", {{"zone", "z2"}}},
                 {"nodeC", {{"zone", "z3"}}}},
       .reasons = {kUnwanted, kUnwanted, ""}},
  });
}

// What is said of three nodes: two zones of one region, and another region.
struct TryCase {
  std::string name;
  TestPod pod = {};
  std::vector<TestPod> others = {};
  TestPod tried = {};
  std::vector<std::string_view> before = {};
  std::vector<std::string_view> after = {};
};

TEST(AffinityFilter, IsToldOfPodsThatComeAndGo) {
  const Pairs labels = {{"foo", "bar"}};
  const TestTerm far_one = far("region", "foo in (bar)");
  const std::vector<TestTerm> far_two = {far("region", "foo in (bar,buzz)"),
                                         far("zone", "service notin (bar,security,test)")};
  const std::vector<TestTerm> near_two = {near("region", "foo in (bar,buzz)"),
                                          near("zone", "service notin (bar,security,test)")};
  const std::vector<TryCase> cases = {
      {.name = "far",
       .pod = {.labels = labels, .terms = {far_one}},
       .others = {{.node = "nodeC", .terms = {far_one}}},
       .tried = {.labels = labels, .node = "nodeB", .terms = {far_one}},
       .before = {"", "", kUnwanted},
       .after = {kFar, kFar, kUnwanted}},
      {.name = "far by two labels",
       .pod = {.labels = labels, .terms = far_two},
       .others = {{.node = "nodeC", .terms = {far_one}}},
       .tried = {.labels = labels, .node = "nodeA", .terms = far_two},
       .before = {"", "", kFar},
       .after = {kFar, kFar, kFar}},
      {.name = "near by two labels: the first is the first no longer",
       .pod = {.labels = labels, .terms = near_two},
       .others = {},
       .tried = {.labels = labels, .node = "nodeA"},
       .before = {"", "", ""},
       .after = {"", kNear, kNear}},
      {.name = "only the tried one minds it",
       .pod = {.labels = labels, .terms = {far("zone", "nobody")}},
       .others = {},
       .tried = {.node = "nodeA", .terms = {far_one}},
       .before = {"", "", ""},
       .after = {kUnwanted, kUnwanted, ""}},
  };
  for (const TryCase& c : cases) {
    SCOPED_TRACE(c.name);
    AffinityWorld world;
    world.put(TestNode{"nodeA", {{"region", "r1"}, {"zone", "z11"}}});
    world.put(TestNode{"nodeB", {{"region", "r1"}, {"zone", "z12"}}});
    world.put(TestNode{"nodeC", {{"region", "r2"}, {"zone", "z21"}}});
    for (const TestPod& other : c.others) world.put(other);
    const PodPtr pod = world.read(c.pod);
    const PodPtr tried = world.read(c.tried);
    const NodeIndex where = world.cluster.find(tried->node).value();
    const auto filter = world.filter(*pod);
    for (int round = 0; round < 2; ++round) {
      for (NodeIndex i = 0; i < 3; ++i) EXPECT_EQ(said_of(world, filter.get(), i), c.before[i]);
      filter->pod_added(*tried, where);
      for (NodeIndex i = 0; i < 3; ++i) EXPECT_EQ(said_of(world, filter.get(), i), c.after[i]);
      filter->pod_removed(*tried, where);
    }
  }
}

TEST(AffinityFilter, IgnoresPodsOnNodesThatAreNotThere) {
  AffinityWorld world;
  world.put(TestNode{"nodeA", {{"zone", "z1"}}});
  world.put(TestPod{.labels = kScan, .node = "gone"});
  const PodPtr pod = world.read({.terms = {near("zone", "service")}});
  const auto filter = world.filter(*pod);
  EXPECT_EQ(said_of(world, filter.get(), 0), kNear);
  const PodPtr late = world.put(TestPod{.labels = kScan, .node = "late"});
  filter->pod_added(*late, 2);
  EXPECT_EQ(said_of(world, filter.get(), 0), kNear);
}

}  // namespace affinity_filter_test
}  // namespace proa::scheduler::affinity_test
