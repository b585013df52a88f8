#include "scheduler/plugins/affinity/affinity_scorer.h"

#include "testkit/scheduler/plugins/test_affinity.h"

namespace proa::scheduler::affinity_test {
namespace affinity_scorer_test {

const Pairs kS1 = {{"security", "S1"}};
const Pairs kS2 = {{"security", "S2"}};
const Pairs kChina = {{"region", "China"}};
const Pairs kIndia = {{"region", "India"}};
const Pairs kAz1 = {{"az", "az1"}};
const Pairs kAz2 = {{"az", "az2"}};
const Pairs kChinaAz1 = {{"region", "China"}, {"az", "az1"}};

const std::vector<TestTerm> kNearS1 = {prefer_near(5, "region", "security in (S1)")};
const std::vector<TestTerm> kNearS2 = {prefer_near(6, "region", "security in (S2)")};
const std::vector<TestTerm> kFarS1 = {prefer_far(5, "az", "security in (S1)")};
const std::vector<TestTerm> kFarS2 = {prefer_far(5, "az", "security in (S2)")};
const std::vector<TestTerm> kNearS1FarS2 = {prefer_near(8, "region", "security in (S1)"),
                                            prefer_far(5, "az", "security in (S2)")};
const std::vector<TestTerm> kMustBeNear = {near("region", "security in (S1,value2)"),
                                           near("region", "security,!wrongkey")};

struct ScoreCase {
  std::string name;
  TestPod pod = {};
  std::vector<TestPod> others = {};
  std::vector<Pairs> nodes = {};  // node1, node2 ...
  std::vector<int64_t> scores = {};
  std::string_view args = "{}";
};

void expect_scores(const std::vector<ScoreCase>& cases) {
  for (const ScoreCase& c : cases) {
    SCOPED_TRACE(c.name);
    AffinityWorld world(c.args);
    world.put_namespace("subteam1.team1", {{"team", "team1"}});
    world.put_namespace("subteam2.team1", {{"team", "team1"}});
    world.put_namespace("subteam1.team2", {{"team", "team2"}});
    world.put_namespace("subteam2.team2", {{"team", "team2"}});
    for (size_t i = 0; i < c.nodes.size(); ++i) {
      world.put(TestNode{.name = "node" + std::to_string(i + 1), .labels = c.nodes[i]});
    }
    for (const TestPod& other : c.others) world.put(other);
    const PodPtr pod = world.read(c.pod);
    EXPECT_EQ(world.scores(world.scorer(*pod).get()), c.scores);
  }
}

TEST(AffinityScorer, PrefersWhatThePodPrefers) {
  expect_scores({
      {.name = "nobody prefers anything",
       .pod = {.labels = kS1},
       .nodes = {kChina, kIndia, kAz1},
       .scores = {0, 0, 0}},
      {.name = "by pods, and by the label of their nodes",
       .pod = {.labels = kS1, .terms = kNearS1},
       .others = {{.labels = kS1, .node = "node1"},
                  {.labels = kS2, .node = "node2"},
                  {.labels = kS1, .node = "node3"}},
       .nodes = {kChina, kIndia, kAz1},
       .scores = {100, 0, 0}},
      {.name = "all nodes of the domain",
       .pod = {.terms = kNearS1},
       .others = {{.labels = kS1, .node = "node1"}},
       .nodes = {kChina, kChinaAz1, kIndia},
       .scores = {100, 100, 0}},
      {.name = "more pods are better",
       .pod = {.labels = kS1, .terms = kNearS2},
       .others = {{.labels = kS2, .node = "node1"},
                  {.labels = kS2, .node = "node1"},
                  {.labels = kS2, .node = "node2"},
                  {.labels = kS2, .node = "node3"},
                  {.labels = kS2, .node = "node4"},
                  {.labels = kS2, .node = "node5"}},
       .nodes = {kChina, kIndia, kChina, kChina, kIndia},
       .scores = {100, 0, 100, 100, 0}},
      {.name = "several terms with several requirements",
       .pod = {.labels = kS1,
               .terms = {prefer_near(8, "region", "security notin (S1),security in (S2)"),
                         prefer_near(2, "region", "security,!wrongkey")}},
       .others = {{.labels = kS1, .node = "node1"},
                  {.labels = kS2, .node = "node2"},
                  {.labels = kS1, .node = "node3"}},
       .nodes = {kChina, kIndia, kAz1},
       .scores = {20, 100, 0}},
      {.name = "far: no such pods",
       .pod = {.labels = kS1, .terms = kFarS1},
       .others = {{.labels = kS1, .node = "node1"}, {.labels = kS2, .node = "node2"}},
       .nodes = {kAz1, kChina},
       .scores = {0, 100}},
      {.name = "far: no such label",
       .pod = {.labels = kS1, .terms = kFarS1},
       .others = {{.labels = kS1, .node = "node1"}, {.labels = kS1, .node = "node2"}},
       .nodes = {kAz1, kChina},
       .scores = {0, 100}},
      {.name = "far: more pods are worse",
       .pod = {.labels = kS1, .terms = kFarS1},
       .others = {{.labels = kS1, .node = "node1"},
                  {.labels = kS1, .node = "node1"},
                  {.labels = kS2, .node = "node2"}},
       .nodes = {kAz1, kIndia},
       .scores = {0, 100}},
      {.name = "near and far",
       .pod = {.labels = kS1, .terms = kNearS1FarS2},
       .others = {{.labels = kS1, .node = "node1"}, {.labels = kS1, .node = "node2"}},
       .nodes = {kChina, kAz1},
       .scores = {100, 0}},
      {.name = "near its like, far from others",
       .pod = {.labels = kS1, .terms = kNearS1FarS2},
       .others = {{.labels = kS1, .node = "node1"},
                  {.labels = kS1, .node = "node1"},
                  {.labels = kS1, .node = "node2"},
                  {.labels = kS1, .node = "node3"},
                  {.labels = kS1, .node = "node3"},
                  {.labels = kS1, .node = "node4"},
                  {.labels = kS1, .node = "node5"}},
       .nodes = {kChinaAz1, kIndia, kChina, kChina, kIndia},
       .scores = {100, 0, 100, 100, 0}},
  });
}

TEST(AffinityScorer, PrefersWhatOthersPrefer) {
  expect_scores({
      {.name = "near",
       .pod = {.labels = kS2},
       .others = {{.labels = kS1, .node = "node1", .terms = kNearS1},
                  {.labels = kS2, .node = "node2", .terms = kNearS2}},
       .nodes = {kChina, kIndia, kAz1},
       .scores = {0, 100, 0}},
      {.name = "what they require, once for each term",
       .pod = {.labels = kS1},
       .others = {{.labels = kS1, .node = "node1", .terms = kMustBeNear},
                  {.labels = kS2, .node = "node2", .terms = kMustBeNear}},
       .nodes = {kChina, kIndia, kAz1},
       .scores = {100, 100, 0}},
      {.name = "far",
       .pod = {.labels = kS2},
       .others = {{.labels = kS1, .node = "node1", .terms = kFarS2},
                  {.labels = kS2, .node = "node2", .terms = kFarS1}},
       .nodes = {kAz1, kAz2},
       .scores = {0, 100}},
      {.name = "both sides: 8, -5, 8, -5",
       .pod = {.labels = kS1, .terms = kNearS1FarS2},
       .others = {{.labels = kS1, .node = "node1"},
                  {.labels = kS2, .node = "node2"},
                  {.node = "node3", .terms = kNearS1FarS2},
                  {.node = "node4", .terms = kFarS1}},
       .nodes = {kChina, kAz1, kIndia, kAz2},
       .scores = {100, 0, 100, 0}},
      {.name = "all nodes alike",
       .pod = {.labels = kS1},
       .others = {{.labels = kS1, .node = "node1"}, {.node = "node2", .terms = kNearS1FarS2}},
       .nodes = {kChina, kChina},
       .scores = {0, 0}},
      {.name = "not asked for",
       .pod = {.labels = kS2},
       .others = {{.labels = kS1, .node = "node1", .terms = kNearS1FarS2},
                  {.labels = kS2, .node = "node2", .terms = kNearS2}},
       .nodes = {kChina, kIndia},
       .scores = {0, 0},
       .args = R"({"ignorePreferredTermsOfExistingPods":true})"},
      {.name = "asked for",
       .pod = {.labels = kS2},
       .others = {{.labels = kS1, .node = "node1", .terms = kNearS1FarS2},
                  {.labels = kS2, .node = "node2", .terms = kNearS2}},
       .nodes = {kChina, kIndia},
       .scores = {0, 100}},
      // As upstream has it: a pod with preferences is asked for all of them.
      {.name = "not asked for, but the pod prefers something itself",
       .pod = {.labels = kS2, .terms = {prefer_near(3, "az", "security")}},
       .others = {{.labels = kS1, .node = "node1"},
                  {.labels = kS2, .node = "node2", .terms = kNearS2}},
       .nodes = {kAz1, kIndia},
       .scores = {0, 100},
       .args = R"({"ignorePreferredTermsOfExistingPods":true})"},
      {.name = "no nodes", .pod = {.labels = kS2}},
  });
}

TEST(AffinityScorer, LooksAtNamespaces) {
  const std::string team = "team in (team1)";
  const std::vector<TestTerm> near_team = {
      prefer_near(5, "region", "security in (S1)").in({"subteam2.team2"}).in_namespaces(team)};
  const std::vector<TestTerm> far_team = {
      prefer_far(5, "region", "security in (S1)").in({"subteam2.team2"}).in_namespaces(team)};
  const TestPod incoming{.labels = kS1, .name_space = "subteam1.team1"};
  const auto with = [](std::vector<TestTerm> terms) {
    return TestPod{.labels = kS1, .terms = std::move(terms), .name_space = "subteam1.team1"};
  };
  const auto others = [](std::string third) {
    return std::vector<TestPod>{{.labels = kS1, .node = "node1", .name_space = "subteam1.team1"},
                                {.labels = kS1, .node = "node1", .name_space = std::move(third)},
                                {.labels = kS1, .node = "node2", .name_space = "subteam2.team1"}};
  };
  expect_scores({
      {.name = "others are near, by its namespace's labels",
       .pod = incoming,
       .others = {{.labels = kS1, .node = "node1", .terms = near_team},
                  {.labels = kS2, .node = "node2", .terms = kNearS2}},
       .nodes = {kChina, kIndia, kAz1},
       .scores = {100, 0, 0}},
      {.name = "others are far, by its namespace's labels",
       .pod = incoming,
       .others = {{.labels = kS1, .node = "node1", .terms = far_team},
                  {.labels = kS2, .node = "node2", .terms = kNearS2}},
       .nodes = {kChina, kIndia, kAz1},
       .scores = {0, 100, 100}},
      {.name = "near, by labels: as many here as there",
       .pod = with(near_team),
       .others = others("subteam1.team2"),
       .nodes = {kChina, kIndia},
       .scores = {0, 0}},
      {.name = "near, by labels and by name",
       .pod = with(near_team),
       .others = others("subteam2.team2"),
       .nodes = {kChina, kIndia},
       .scores = {100, 0}},
      {.name = "far, by labels and by name",
       .pod = with(far_team),
       .others = others("subteam2.team2"),
       .nodes = {kChina, kIndia},
       .scores = {0, 100}},
  });
}

TEST(AffinityScorer, WeighsWhatOthersRequire) {
  const TestTerm term = near("region", "service in (S1)")
                            .in({"default", "subteam2.team2"})
                            .in_namespaces("team in (team1)");
  const auto pod_in = [](std::string name_space) {
    return TestPod{.labels = {{"service", "S1"}}, .name_space = std::move(name_space)};
  };
  const std::vector<TestPod> others = {{.node = "node1", .terms = {term}},
                                       {.node = "node2", .terms = {term}}};
  const std::vector<Pairs> nodes = {kChina, kIndia, kAz1};
  const std::vector<int64_t> yes = {100, 100, 0};
  const std::vector<int64_t> no = {0, 0, 0};
  expect_scores({
      {.name = "usually",
       .pod = pod_in("default"),
       .others = others,
       .nodes = nodes,
       .scores = yes},
      {.name = "without weight",
       .pod = pod_in("default"),
       .others = others,
       .nodes = nodes,
       .scores = no,
       .args = R"({"hardPodAffinityWeight":0})"},
      {.name = "another namespace",
       .pod = pod_in("subteam1.team2"),
       .others = others,
       .nodes = nodes,
       .scores = no},
      {.name = "a namespace that is selected",
       .pod = pod_in("subteam1.team1"),
       .others = others,
       .nodes = nodes,
       .scores = yes},
      {.name = "a namespace that is named",
       .pod = pod_in("subteam2.team2"),
       .others = others,
       .nodes = nodes,
       .scores = yes},
      {.name = "against what they prefer",
       .pod = {.labels = {{"service", "S1"}}},
       .others = {{.node = "node1", .terms = {term}},
                  {.node = "node2", .terms = {prefer_near(20, "region", "service")}}},
       .nodes = nodes,
       .scores = {25, 100, 0},
       .args = R"({"hardPodAffinityWeight":5})"},
  });
}

TEST(AffinityScorer, RoundsDown) {
  expect_scores(
      {{.name = "one and two of three",
        .pod = {.terms = {prefer_near(1, "region", "one"), prefer_near(2, "region", "two"),
                          prefer_near(3, "region", "three")}},
        .others = {{.labels = {{"one", ""}}, .node = "node1"},
                   {.labels = {{"two", ""}}, .node = "node2"},
                   {.labels = {{"three", ""}}, .node = "node3"}},
        .nodes = {{{"region", "a"}}, {{"region", "b"}}, {{"region", "c"}}, {}},
        .scores = {33, 66, 100, 0}}});
}

}  // namespace affinity_scorer_test
}  // namespace proa::scheduler::affinity_test
