#include "testkit/scheduler/oracle/oracle.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "testkit/scheduler/generator.h"
#include "testkit/scheduler/oracle/oracle_checks.h"

namespace proa::testkit {
namespace oracle_test {

using namespace oracle_checks;  // NOLINT: the words of these tests

constexpr const char* kUntolerated = "(never) TaintToleration: node(s) had untolerated taint(s)";
constexpr const char* kNoMatch =
    "(never) NodeAffinity: node(s) didn't match Pod's node affinity/selector";

TEST(OracleNodes, UnschedulableIsToleratedAsATaintIs) {
  const TestCluster cluster{.nodes = {roomy("n").unschedulable().object()}};
  EXPECT_EQ(told(cluster, make_pod("p")),
            (Told{{"n", "(never) NodeUnschedulable: node(s) were unschedulable"}}));
  EXPECT_EQ(told(cluster, make_pod("p").tolerate("node.kubernetes.io/unschedulable", "Exists", "",
                                                 "NoSchedule")),
            Told());
}

TEST(OracleNodes, NameMustMatch) {
  const TestCluster cluster{.nodes = {roomy("a").object(), roomy("b").object()}};
  EXPECT_EQ(told(cluster, make_pod("p").node("b")),
            (Told{{"a", "(never) NodeName: node(s) didn't match the requested node name"}}));
}

TEST(OracleNodes, TaintsKeepPodsAway) {
  const struct {
    const char* name;
    NodeBuilder node;
    PodBuilder pod;
    bool fits;
  } cases[] = {
      {"nothing tolerated", roomy("n").taint("dedicated", "user1", "NoSchedule"), make_pod("p"),
       false},
      {"the same value", roomy("n").taint("dedicated", "user1", "NoSchedule"),
       make_pod("p").tolerate("dedicated", "Equal", "user1", "NoSchedule"), true},
      {"another value", roomy("n").taint("dedicated", "user1", "NoSchedule"),
       make_pod("p").tolerate("dedicated", "Equal", "user2", "NoSchedule"), false},
      {"any value", roomy("n").taint("foo", "bar", "NoSchedule"),
       make_pod("p").tolerate("foo", "Exists", "", "NoSchedule"), true},
      {"another effect", roomy("n").taint("foo", "bar", "NoSchedule"),
       make_pod("p").tolerate("foo", "Equal", "bar", "PreferNoSchedule"), false},
      {"any effect", roomy("n").taint("foo", "bar", "NoExecute"),
       make_pod("p").tolerate("foo", "Equal", "bar"), true},
      {"everything", roomy("n").taint("foo", "bar", "NoExecute"),
       make_pod("p").tolerate("", "Exists"), true},
      {"only preferred", roomy("n").taint("dedicated", "user1", "PreferNoSchedule"), make_pod("p"),
       true},
      {"one of two", roomy("n").taint("a", "1", "NoSchedule").taint("b", "2", "NoSchedule"),
       make_pod("p").tolerate("a", "Equal", "1", "NoSchedule"), false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(told({.nodes = {c.node.object()}}, c.pod),
              c.fits ? Told() : Told({{"n", kUntolerated}}));
  }
}

TEST(OracleNodes, FewerBotheringTaintsAreBetter) {
  const TestCluster cluster{
      .nodes = {roomy("a").object(),
                roomy("b").taint("cpu-type", "arm64", "PreferNoSchedule").object(),
                roomy("c")
                    .taint("cpu-type", "arm64", "PreferNoSchedule")
                    .taint("disk-type", "ssd", "PreferNoSchedule")
                    .object()}};
  EXPECT_EQ(points(cluster, make_pod("p"), "TaintToleration", 3),
            (Points{{"a", 100}, {"b", 50}, {"c", 0}}));
  EXPECT_EQ(
      points(cluster, make_pod("p").tolerate("cpu-type", "Equal", "arm64", "PreferNoSchedule"),
             "TaintToleration", 3),
      (Points{{"a", 100}, {"b", 100}, {"c", 0}}));
  // A toleration of another effect does not help.
  EXPECT_EQ(points(cluster, make_pod("p").tolerate("cpu-type", "Equal", "arm64", "NoSchedule"),
                   "TaintToleration", 3),
            (Points{{"a", 100}, {"b", 50}, {"c", 0}}));
}

TEST(OracleNodeAffinity, TermsAreAlternatives) {
  const struct {
    const char* name;
    PodBuilder pod;
    bool fits;
  } cases[] = {
      {"selector", make_pod("p").node_selector({{"foo", "bar"}}), true},
      {"selector, one is missing", make_pod("p").node_selector({{"foo", "bar"}, {"baz", "x"}}),
       false},
      {"In", make_pod("p").node_affinity("foo", "In", {"x", "bar"}), true},
      {"NotIn", make_pod("p").node_affinity("foo", "NotIn", {"bar"}), false},
      {"NotIn of what is not there", make_pod("p").node_affinity("no", "NotIn", {"bar"}), true},
      {"Exists", make_pod("p").node_affinity("number", "Exists"), true},
      {"DoesNotExist", make_pod("p").node_affinity("foo", "DoesNotExist"), false},
      {"Gt", make_pod("p").node_affinity("number", "Gt", {"204"}), true},
      {"Lt", make_pod("p").node_affinity("number", "Lt", {"206"}), true},
      {"Gt of no number", make_pod("p").node_affinity("foo", "Gt", {"204"}), false},
      {"the second does",
       make_pod("p").node_affinity("foo", "In", {"x"}).node_affinity("foo", "Exists"), true},
      {"selector and affinity",
       make_pod("p").node_selector({{"foo", "x"}}).node_affinity("foo", "Exists"), false},
      {"an empty term selects nothing",
       make_pod("p").affinity_json(
           R"({"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{}]}}})"),
       false},
      {"a term that cannot be read", make_pod("p").node_affinity("foo", "In", {"{{.bad-value.}}"}),
       false},
      {"not this node", make_pod("p").node_name_affinity("NotIn", {"n"}), false},
  };
  const TestCluster cluster{
      .nodes = {roomy("n").label("foo", "bar").label("number", "205").object()}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(told(cluster, c.pod), c.fits ? Told() : Told({{"n", kNoMatch}}));
  }
}

TEST(OracleNodeAffinity, NodesThatAreNotNamedAreNotLookedAt) {
  const TestCluster cluster{.nodes = {roomy("a").unschedulable().object(), roomy("b").object()}};
  EXPECT_EQ(told(cluster, make_pod("p").node_name_affinity("In", {"b"})),
            (Told{{"a", "(never) NodeAffinity: node(s) didn't satisfy plugin(s) [NodeAffinity]"}}));
  EXPECT_EQ(told(cluster, make_pod("p").affinity_json(R"({"nodeAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[
        {"key":"metadata.name","operator":"In","values":["a"]},
        {"key":"metadata.name","operator":"In","values":["b"]}]}]}}})")),
            (Told{{"*", "NodeAffinity: pod affinity terms conflict"}}));
}

TEST(OracleNodeAffinity, WeightsOfMatchingTermsAdd) {
  const TestCluster cluster{
      .nodes = {roomy("a").label("foo", "bar").object(), roomy("b").label("key", "value").object(),
                roomy("c").label("foo", "bar").label("key", "value").label("az", "az1").object()}};
  const auto pod = make_pod("p")
                       .prefer_node(2, "foo", "In", {"bar"})
                       .prefer_node(4, "key", "In", {"value"})
                       .prefer_node(5, "az", "In", {"az1"});
  EXPECT_EQ(points(cluster, pod, "NodeAffinity", 2), (Points{{"a", 18}, {"b", 36}, {"c", 100}}));
  EXPECT_EQ(points(cluster, make_pod("p"), "NodeAffinity", 2), Points());
}

TEST(OracleNodePorts, OneOfAKindOnANode) {
  const struct {
    const char* name;
    PodBuilder wants;
    PodBuilder has;
    bool fits;
  } cases[] = {
      {"other port", make_pod("p").host_port(8080, "UDP", "127.0.0.1"),
       make_pod("q").host_port(9090, "UDP", "127.0.0.1"), true},
      {"same", make_pod("p").host_port(8080, "UDP", "127.0.0.1"),
       make_pod("q").host_port(8080, "UDP", "127.0.0.1"), false},
      {"other address", make_pod("p").host_port(8080, "TCP", "127.0.0.1"),
       make_pod("q").host_port(8080, "TCP", "127.0.0.2"), true},
      {"other protocol", make_pod("p").host_port(8080, "UDP", "127.0.0.1"),
       make_pod("q").host_port(8080, "TCP", "127.0.0.1"), true},
      {"all addresses", make_pod("p").host_port(8001, "TCP"),
       make_pod("q").host_port(8001, "TCP", "127.0.0.1"), false},
      {"one of all addresses", make_pod("p").host_port(8001, "TCP", "127.0.0.1"),
       make_pod("q").host_port(8001, "TCP", "0.0.0.0"), false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const TestCluster cluster{.nodes = {roomy("n").object()},
                              .pods = {PodBuilder(c.has).node("n").object()}};
    EXPECT_EQ(told(cluster, c.wants),
              c.fits ? Told()
                     : Told({{"n",
                              "NodePorts: node(s) didn't have free ports for the requested pod "
                              "ports"}}));
  }
}

TEST(OracleNodePorts, SidecarsHaveThemToo) {
  const char* init = R"([{"name":"i","image":"i","ports":[{"containerPort":80,"hostPort":80}],
                          "restartPolicy":"Always"}])";
  const char* once = R"([{"name":"i","image":"i","ports":[{"containerPort":80,"hostPort":80}]}])";
  for (const bool sidecar : {true, false}) {
    const TestCluster cluster{
        .nodes = {roomy("n").object()},
        .pods = {
            make_pod("q").node("n").spec_json("initContainers", sidecar ? init : once).object()}};
    EXPECT_EQ(told(cluster, make_pod("p").host_port(80)).size(), sidecar ? 1 : 0);
  }
}

TEST(OracleImages, BigOnesThatManyHaveCount) {
  constexpr int64_t kMb = 1024 * 1024;
  const auto first = roomy("a")
                         .images({"gcr.io/40:latest", "gcr.io/40:v1"}, 40 * kMb)
                         .image("gcr.io/300:latest", 300 * kMb)
                         .image("gcr.io/2000:latest", 2000 * kMb);
  const auto second =
      roomy("b").image("gcr.io/250:latest", 250 * kMb).image("gcr.io/10:v1", 10 * kMb);
  const auto third = roomy("c").image("gcr.io/4000:latest", 4000 * kMb);
  const TestCluster two{.nodes = {first.object(), second.object()}};
  EXPECT_EQ(points(two, make_pod("p").image("gcr.io/40").container().image("gcr.io/250"),
                   "ImageLocality"),
            (Points{{"a", 0}, {"b", 5}}));
  EXPECT_EQ(points(two, make_pod("p").image("gcr.io/40").container().image("gcr.io/300"),
                   "ImageLocality"),
            (Points{{"a", 7}, {"b", 0}}));
  const auto large = make_pod("p").image("gcr.io/4000").container().image("gcr.io/10:v1");
  EXPECT_EQ(points({.nodes = {third.object(), second.object()}}, large, "ImageLocality"),
            (Points{{"b", 0}, {"c", 100}}));
  EXPECT_EQ(points({.nodes = {third.object(), second.object(), roomy("d").object()}}, large,
                   "ImageLocality"),
            (Points{{"b", 0}, {"c", 66}, {"d", 0}}));
}

TEST(Oracle, TheFirstPluginThatRejectsIsNamed) {
  const TestCluster cluster{
      .nodes = {roomy("a").unschedulable().taint("x", "y", "NoSchedule").object(),
                roomy("b").taint("x", "y", "NoSchedule").object(), make_node("c").object()}};
  const auto judgement = judge(cluster, *make_pod("p").node_selector({{"no", "such"}}).object());
  EXPECT_EQ(judgement.rejected_by,
            (std::map<std::string, std::string>{
                {"a", "NodeUnschedulable"}, {"b", "TaintToleration"}, {"c", "NodeAffinity"}}));
}

TEST(Oracle, TotalsAreWeighted) {
  const TestCluster cluster{.nodes = {roomy("a").object()}};
  const auto judgement = judge(cluster, *make_pod("p").object());
  // Three times TaintToleration's 100, once NodeResourcesFit's: the others skip or give nothing.
  const std::map<std::string, int64_t> scores{
      {"TaintToleration", 300}, {"NodeResourcesFit", 99}, {"ImageLocality", 0}};
  EXPECT_EQ(judgement.scores.at("a"), scores);
  EXPECT_EQ(judgement.totals.at("a"), 399);
}

TEST(Oracle, PodsThatAreDoneCountForNothing) {
  const auto used = make_pod("q").node("n").host_port(80);
  for (const char* phase : {"Succeeded", "Failed", "Running"}) {
    const TestCluster cluster{.nodes = {roomy("n").object()},
                              .pods = {PodBuilder(used).phase(phase).object()}};
    EXPECT_EQ(told(cluster, make_pod("p").host_port(80)).empty(), phase[0] != 'R') << phase;
  }
}

TEST(Oracle, SaysSomethingAboutEveryNode) {
  SeededRandom random(7);
  size_t feasible = 0;
  for (int round = 0; round < 20; ++round) {
    const TestCluster cluster = generate_cluster(random);
    for (const auto& pod : cluster.pending) {
      const Judgement judgement = judge(cluster, *pod);
      EXPECT_EQ(judgement.error, "");
      if (!judgement.no_node_at_all.empty()) continue;
      EXPECT_EQ(judgement.rejected_by.size() + judgement.totals.size(), cluster.nodes.size());
      feasible += judgement.totals.size();
      for (const auto& [node, scores] : judgement.scores) {
        int64_t sum = 0;
        for (const auto& [plugin, points] : scores) {
          EXPECT_TRUE(points >= 0 && points <= 300) << plugin;
          sum += points;
        }
        EXPECT_EQ(sum, judgement.totals.at(node));
      }
    }
  }
  EXPECT_GT(feasible, 0);
}

}  // namespace oracle_test
}  // namespace proa::testkit
