#include "testkit/scheduler/oracle/oracle_spread.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/oracle/oracle_checks.h"

namespace proa::testkit {
namespace oracle_spread_test {

using namespace oracle_checks;  // NOLINT: the words of these tests

const std::string kTooMany =
    "PodTopologySpread: node(s) didn't match pod topology spread constraints";
const std::string kNoLabel =
    "(never) PodTopologySpread: node(s) didn't match pod topology spread constraints (missing "
    "required label)";

NodeBuilder in_zone(std::string_view name, std::string_view zone) {
  return roomy(name).label("zone", zone).label("node", name).hostname(name);
}

// Upstream's four: a and b in zone 1, x and y in zone 2.
std::vector<api::ObjectPtr> four() {
  return {in_zone("a", "zone1").object(), in_zone("b", "zone1").object(),
          in_zone("x", "zone2").object(), in_zone("y", "zone2").object()};
}

// That many pods with label foo on each of these nodes.
std::vector<api::ObjectPtr> foos(const std::vector<std::pair<std::string, int>>& counts) {
  std::vector<api::ObjectPtr> pods;
  for (const auto& [node, count] : counts) {
    for (int i = 0; i < count; ++i) {
      pods.push_back(make_pod(node + "-" + std::to_string(i)).node(node).label("foo", "").object());
    }
  }
  return pods;
}

// With one constraint about label foo; `more` are further members of it.
PodBuilder foo(
    int skew, const std::string& key, const std::string& more = "",
    const std::string& selector = R"({"matchExpressions":[{"key":"foo","operator":"Exists"}]})") {
  return make_pod("p").label("foo", "").spread_json(
      R"({"maxSkew":)" + std::to_string(skew) + R"(,"topologyKey":")" + key +
      R"(","whenUnsatisfiable":"DoNotSchedule","labelSelector":)" + selector + more + "}");
}

TEST(OracleHardSpread, SkewStaysWithinBounds) {
  const struct {
    const char* name;
    PodBuilder pod;
    std::vector<std::pair<std::string, int>> counts;
    std::string rejected;  // names of nodes, a letter each
  } cases[] = {
      {"nobody there", foo(1, "zone"), {}, ""},
      {"3/3", foo(1, "zone"), {{"a", 2}, {"b", 1}, {"y", 3}}, ""},
      {"2/1/0/3", foo(1, "node"), {{"a", 2}, {"b", 1}, {"y", 3}}, "aby"},
      {"2/1/0/3, a skew of 2", foo(2, "node"), {{"a", 2}, {"b", 1}, {"y", 3}}, "ay"},
      {"the pod does not count itself",
       foo(1, "node").json("metadata.labels", R"({"bar":""})"),
       {{"a", 2}, {"b", 1}, {"y", 3}},
       "ay"},
      {"no selector matches nobody", foo(1, "zone", "", "null"), {{"x", 1}, {"y", 1}}, ""},
      {"one for everything counts nobody", foo(1, "zone", "", "{}"), {{"x", 5}}, ""},
      {"too few domains: none of them is the least",
       foo(2, "node", R"(,"minDomains":5)"),
       {{"a", 2}, {"b", 2}, {"x", 1}, {"y", 1}},
       "ab"},
      {"enough domains",
       foo(2, "node", R"(,"minDomains":4)"),
       {{"a", 2}, {"b", 2}, {"x", 1}, {"y", 1}},
       ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Told expected;
    for (const char node : c.rejected) expected[std::string(1, node)] = kTooMany;
    EXPECT_EQ(told({.nodes = four(), .pods = foos(c.counts)}, c.pod), expected);
  }
}

TEST(OracleHardSpread, OthersDoNotCount) {
  auto pods = foos({{"x", 1}, {"y", 1}});
  pods.push_back(make_pod("other").in("other").node("a").label("foo", "").object());
  pods.push_back(make_pod("gone")
                     .node("a")
                     .label("foo", "")
                     .finalizer("a/b")
                     .deleted_at("2026-01-01T00:00:00Z")
                     .object());
  EXPECT_EQ(told({.nodes = four(), .pods = pods}, foo(1, "zone")),
            (Told{{"x", kTooMany}, {"y", kTooMany}}));
}

TEST(OracleHardSpread, NodesWithoutTheKeyAreOut) {
  auto nodes = four();
  nodes[1] = roomy("b").label("zon", "zone1").object();
  EXPECT_EQ(told({.nodes = nodes, .pods = foos({{"a", 1}, {"b", 1}, {"x", 1}, {"y", 1}})},
                 foo(1, "zone")),
            (Told{{"b", kNoLabel}, {"x", kTooMany}, {"y", kTooMany}}));
}

TEST(OracleHardSpread, PoliciesSayWhichNodesCount) {
  const auto counts = foos({{"a", 1}, {"b", 1}});
  const struct {
    const char* name;
    PodBuilder pod;
    Told told;
  } cases[] = {
      // x and y are empty, but not to be had.
      {"affinity is honored", foo(1, "node").node_affinity("zone", "In", {"zone1"}), {}},
      {"affinity is ignored",
       foo(1, "node", R"(,"nodeAffinityPolicy":"Ignore")").node_affinity("zone", "In", {"zone1"}),
       {{"a", kTooMany}, {"b", kTooMany}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    auto expected = c.told;
    for (const char* node : {"x", "y"})
      expected[node] = "(never) NodeAffinity: node(s) didn't match Pod's node affinity/selector";
    EXPECT_EQ(told({.nodes = four(), .pods = counts}, c.pod), expected);
  }
  auto nodes = four();
  nodes[2] = in_zone("x", "zone2").taint("no", "", "NoSchedule").object();
  nodes[3] = in_zone("y", "zone2").taint("no", "", "NoSchedule").object();
  const TestCluster tainted{.nodes = nodes, .pods = counts};
  EXPECT_EQ(told(tainted, foo(1, "node")).at("a"), kTooMany);
  EXPECT_FALSE(told(tainted, foo(1, "node", R"(,"nodeTaintsPolicy":"Honor")")).contains("a"));
}

TEST(OracleHardSpread, LabelKeysNarrowTheSelector) {
  // Two of another generation on a do not count.
  const auto pod = [](const std::string& selector) {
    return foo(1, "zone", R"(,"matchLabelKeys":["bar","missing"])", selector).label("bar", "new");
  };
  std::vector<api::ObjectPtr> pods;
  for (const char* generation : {"old", "new"}) {
    pods.push_back(make_pod(generation)
                       .node(generation[0] == 'o' ? "a" : "x")
                       .label("foo", "")
                       .label("bar", generation)
                       .object());
  }
  const TestCluster cluster{.nodes = four(), .pods = pods};
  for (const char* selector : {R"({"matchLabels":{"foo":""}})", "{}"}) {
    SCOPED_TRACE(selector);
    EXPECT_EQ(told(cluster, pod(selector)), (Told{{"x", kTooMany}, {"y", kTooMany}}));
  }
}

// Soft constraints about label foo.
PodBuilder soft(int skew, std::string_view key) {
  return make_pod("p").label("foo", "").spread(skew, key, "ScheduleAnyway", {{"foo", ""}});
}

constexpr std::string_view kHostname = "kubernetes.io/hostname";

TEST(OracleSoftSpread, TheEmptiestIsBest) {
  const struct {
    const char* name;
    PodBuilder pod;
    std::vector<std::pair<std::string, int>> counts;
    Points points;
  } cases[] = {
      {"no constraint", make_pod("p"), {{"a", 2}}, {}},
      {"nobody there", soft(1, kHostname), {}, {{"a", 100}, {"b", 100}, {"x", 100}, {"y", 100}}},
      {"2/1/0/3",
       soft(1, kHostname),
       {{"a", 2}, {"b", 1}, {"y", 3}},
       {{"a", 20}, {"b", 60}, {"x", 100}, {"y", 0}}},
      {"2/1/0/3, a skew of 2",
       soft(2, kHostname),
       {{"a", 2}, {"b", 1}, {"y", 3}},
       {{"a", 33}, {"b", 66}, {"x", 100}, {"y", 16}}},
      {"4/3/2/1, a skew of 3",
       soft(3, kHostname),
       {{"a", 4}, {"b", 3}, {"x", 2}, {"y", 1}},
       {{"a", 44}, {"b", 66}, {"x", 77}, {"y", 100}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(points({.nodes = four(), .pods = foos(c.counts)}, c.pod, "PodTopologySpread", 2),
              c.points);
  }
}

TEST(OracleSoftSpread, NodesThatCannotBeUsedCountInTheirDomain) {
  auto nodes = four();
  nodes[3] = in_zone("y", "zone2").unschedulable().object();
  const TestCluster cluster{.nodes = nodes, .pods = foos({{"a", 4}, {"b", 2}, {"x", 1}, {"y", 3}})};
  EXPECT_EQ(points(cluster, soft(1, kHostname), "PodTopologySpread", 2),
            (Points{{"a", 33}, {"b", 83}, {"x", 100}}));
  EXPECT_EQ(points(cluster, soft(1, "zone"), "PodTopologySpread", 2),
            (Points{{"a", 75}, {"b", 75}, {"x", 100}}));
}

TEST(OracleSoftSpread, ANodeWithoutTheKeyGetsNothing) {
  auto nodes = four();
  nodes[1] = roomy("b").label("n", "b").object();
  nodes[3] = in_zone("y", "zone2").unschedulable().object();
  EXPECT_EQ(points({.nodes = nodes, .pods = foos({{"a", 4}, {"b", 2}, {"x", 1}, {"y", 3}})},
                   soft(1, kHostname), "PodTopologySpread", 2),
            (Points{{"a", 16}, {"b", 0}, {"x", 100}}));
}

TEST(OracleSoftSpread, TwoConstraintsAdd) {
  auto pods = foos({{"a", 1}});
  pods.push_back(make_pod("b1").node("b").label("foo", "").label("bar", "").object());
  pods.push_back(make_pod("y1").node("y").label("foo", "").object());
  pods.push_back(make_pod("y2").node("y").label("bar", "").object());
  const auto pod = soft(1, "zone").spread(1, kHostname, "ScheduleAnyway", {{"bar", ""}});
  EXPECT_EQ(points({.nodes = four(), .pods = pods}, pod, "PodTopologySpread", 2),
            (Points{{"a", 60}, {"b", 20}, {"x", 100}, {"y", 60}}));
}

TEST(OracleSoftSpread, PodsOfAServiceOrASetSpreadByDefault) {
  const auto counts = foos({{"a", 4}, {"b", 3}, {"x", 2}, {"y", 1}});
  const Points expected{{"a", 44}, {"b", 66}, {"x", 77}, {"y", 100}};
  const auto pod = make_pod("p").label("foo", "");
  EXPECT_EQ(points({.nodes = four(),
                    .pods = counts,
                    .services = {make_service("s").selector({{"foo", ""}}).object()}},
                   pod, "PodTopologySpread", 2),
            expected);
  EXPECT_EQ(points({.nodes = four(),
                    .pods = counts,
                    .services = {make_service("s").in("other").selector({{"foo", ""}}).object()}},
                   pod, "PodTopologySpread", 2),
            Points());
  EXPECT_EQ(points({.nodes = four(),
                    .pods = counts,
                    .replica_sets = {make_replica_set("r").selector({{"foo", ""}}).object()}},
                   PodBuilder(pod).json("metadata.ownerReferences",
                                        R"([{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r",
                                             "uid":"r","controller":true}])"),
                   "PodTopologySpread", 2),
            expected);
}

}  // namespace oracle_spread_test
}  // namespace proa::testkit
