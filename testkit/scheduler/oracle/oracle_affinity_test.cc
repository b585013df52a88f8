#include "testkit/scheduler/oracle/oracle_affinity.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/oracle/oracle_checks.h"

namespace proa::testkit {
namespace oracle_affinity_test {

using namespace oracle_checks;  // NOLINT: the words of these tests

const std::string kAlone = "(never) InterPodAffinity: node(s) didn't match pod affinity rules";
const std::string kTooClose = "InterPodAffinity: node(s) didn't match pod anti-affinity rules";
const std::string kUnwanted =
    "InterPodAffinity: node(s) didn't satisfy existing pods anti-affinity rules";

// In regions of two and one.
std::vector<api::ObjectPtr> three() {
  return {roomy("a").label("region", "china").label("az", "az1").object(),
          roomy("b").label("region", "china").object(),
          roomy("c").label("region", "india").label("az", "az2").object()};
}

PodBuilder with_label(std::string_view name, std::string_view value) {
  return make_pod(name).label("security", value);
}

const Pairs kS1 = {{"security", "S1"}};
const Pairs kS2 = {{"security", "S2"}};

TEST(OraclePodAffinity, WantsPodsInTheSameDomain) {
  const TestCluster cluster{.nodes = three(), .pods = {with_label("q", "S1").node("a").object()}};
  EXPECT_EQ(told(cluster, make_pod("p").pod_affinity("region", kS1)), (Told{{"c", kAlone}}));
  EXPECT_EQ(told(cluster, make_pod("p").pod_affinity("region", kS2)),
            (Told{{"a", kAlone}, {"b", kAlone}, {"c", kAlone}}));
  EXPECT_EQ(told(cluster, make_pod("p").in("other").pod_affinity("region", kS1)).size(), 3);
  // The key must be there, whoever is.
  EXPECT_EQ(told(cluster, make_pod("p").pod_affinity("az", kS1)),
            (Told{{"b", kAlone}, {"c", kAlone}}));
}

TEST(OraclePodAffinity, OnePodMustMatchAllTerms) {
  const auto wants =
      make_pod("p").pod_affinity("region", {{"foo", "1"}}).pod_affinity("region", {{"bar", "1"}});
  const auto foo = make_pod("q").node("a").label("foo", "1");
  const auto bar = make_pod("r").node("b").label("bar", "1");
  EXPECT_EQ(told({.nodes = three(), .pods = {foo.object(), bar.object()}}, wants).size(), 3);
  EXPECT_EQ(told({.nodes = three(), .pods = {PodBuilder(foo).label("bar", "1").object()}}, wants),
            (Told{{"c", kAlone}}));
}

TEST(OraclePodAffinity, TheFirstOfAGroupMayBegin) {
  const auto first = with_label("p", "S1").pod_affinity("az", kS1);
  EXPECT_EQ(told({.nodes = three()}, first), (Told{{"b", kAlone}}));
  EXPECT_EQ(told({.nodes = three(), .pods = {with_label("q", "S1").node("c").object()}}, first),
            (Told{{"a", kAlone}, {"b", kAlone}}));
}

TEST(OraclePodAffinity, AntiAffinityHoldsBothWays) {
  const TestCluster plain{.nodes = three(), .pods = {with_label("q", "S1").node("a").object()}};
  EXPECT_EQ(told(plain, make_pod("p").pod_anti_affinity("region", kS1)),
            (Told{{"a", kTooClose}, {"b", kTooClose}}));
  // On a node without the key nobody is close.
  EXPECT_EQ(told(plain, make_pod("p").pod_anti_affinity("az", kS1)), (Told{{"a", kTooClose}}));
  const TestCluster shy{
      .nodes = three(),
      .pods = {make_pod("q").node("a").pod_anti_affinity("region", kS1).object()}};
  EXPECT_EQ(told(shy, with_label("p", "S1")), (Told{{"a", kUnwanted}, {"b", kUnwanted}}));
  EXPECT_EQ(told(shy, with_label("p", "S2")), Told());
}

TEST(OraclePodAffinity, AnyTermOfAntiAffinityIsEnough) {
  const TestCluster cluster{.nodes = three(), .pods = {with_label("q", "S2").node("c").object()}};
  EXPECT_EQ(
      told(cluster, make_pod("p").pod_anti_affinity("region", kS1).pod_anti_affinity("az", kS2)),
      (Told{{"c", kTooClose}}));
}

std::string term_json(const std::string& kind, const std::string& namespaces) {
  return R"({")" + kind +
         R"(":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"region",)" +
         R"("labelSelector":{"matchLabels":{"security":"S1"}},)" + namespaces + "}]}}";
}

TestCluster teams(std::vector<api::ObjectPtr> pods) {
  return {.nodes = three(),
          .pods = std::move(pods),
          .namespaces = {make_namespace("red").label("team", "red").object(),
                         make_namespace("blue").label("team", "blue").object(),
                         make_namespace("default").object()}};
}

TEST(OraclePodAffinity, NamespacesAreNamedOrSelected) {
  const auto cluster = teams({with_label("q", "S1").in("red").node("c").object()});
  const struct {
    const char* namespaces;
    bool matches;
  } cases[] = {
      {R"("namespaces":["red"])", true},
      {R"("namespaces":["blue"])", false},
      {R"("namespaceSelector":{"matchLabels":{"team":"red"}})", true},
      {R"("namespaceSelector":{"matchLabels":{"team":"blue"}})", false},
      {R"("namespaces":["red"],"namespaceSelector":{"matchLabels":{"team":"blue"}})", true},
      {R"("namespaceSelector":{})", true},
      // Not meant so, but so it is: upstream matches it with no labels at all once more.
      {R"("namespaceSelector":{"matchExpressions":[{"key":"team","operator":"DoesNotExist"}]})",
       true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.namespaces);
    const auto pod = make_pod("p").affinity_json(term_json("podAntiAffinity", c.namespaces));
    EXPECT_EQ(told(cluster, pod), c.matches ? Told({{"c", kTooClose}}) : Told());
  }
}

TEST(OraclePodAffinity, TermsOfOthersLookAtTheNamespaceOfThePod) {
  const auto shy = [](const char* selector) {
    return teams(
        {make_pod("q").node("c").affinity_json(term_json("podAntiAffinity", selector)).object()});
  };
  const auto pod = with_label("p", "S1").in("red");
  const char* red = R"("namespaceSelector":{"matchLabels":{"team":"red"}})";
  const char* none =
      R"("namespaceSelector":{"matchExpressions":[{"key":"team","operator":"DoesNotExist"}]})";
  EXPECT_EQ(told(shy(red), pod), (Told{{"c", kUnwanted}}));
  EXPECT_EQ(told(shy(none), pod), Told());
  EXPECT_EQ(told(shy(none), PodBuilder(pod).in("default")), (Told{{"c", kUnwanted}}));
}

TEST(OraclePodAffinity, ATermThatCannotBeReadIsToldToThePod) {
  const auto pod = make_pod("p").pod_affinity("region", {{"security", "{{.bad-value.}}"}});
  const auto said = told({.nodes = three()}, pod);
  ASSERT_TRUE(said.contains("*"));
  EXPECT_TRUE(said.at("*").starts_with("InterPodAffinity: parsing pod: requiredAffinityTerms: "))
      << said.at("*");
}

TEST(OraclePodAffinity, PreferencesAdd) {
  const auto nodes = std::vector<api::ObjectPtr>{roomy("a").label("region", "china").object(),
                                                 roomy("b").label("region", "india").object(),
                                                 roomy("c").label("az", "az1").object()};
  const struct {
    const char* name;
    std::vector<api::ObjectPtr> pods;
    PodBuilder pod;
    Points points;
  } cases[] = {
      {"nobody wants anything",
       {with_label("q", "S1").node("a").object()},
       with_label("p", "S1"),
       {}},
      {"near others",
       {with_label("q", "S1").node("a").object(), with_label("r", "S2").node("b").object(),
        with_label("s", "S1").node("c").object()},
       with_label("p", "S1").prefer_pod_affinity(5, "region", kS1),
       {{"a", 100}, {"b", 0}, {"c", 0}}},
      {"of two sorts",
       {with_label("q", "S1").node("a").object(), with_label("r", "S2").node("b").object()},
       make_pod("p").prefer_pod_affinity(2, "region", kS1).prefer_pod_affinity(10, "region", kS2),
       {{"a", 20}, {"b", 100}, {"c", 0}}},
      {"far from others",
       {with_label("q", "S1").node("c").object(), with_label("r", "S2").node("a").object()},
       with_label("p", "S1").prefer_pod_anti_affinity(5, "az", kS1),
       {{"a", 100}, {"b", 100}, {"c", 0}}},
      {"others want this one",
       {with_label("q", "S1").node("a").prefer_pod_affinity(5, "region", kS1).object(),
        with_label("r", "S2").node("b").prefer_pod_affinity(6, "region", kS2).object()},
       with_label("p", "S2"),
       {{"a", 0}, {"b", 100}, {"c", 0}}},
      {"others need this one",
       {with_label("q", "S1").node("a").pod_affinity("region", kS1).object(),
        with_label("r", "S2").node("b").pod_affinity("region", kS1).object()},
       with_label("p", "S1"),
       {{"a", 100}, {"b", 100}, {"c", 0}}},
      {"all the same: no points, but not skipped",
       {with_label("q", "S1").node("a").object(), with_label("r", "S1").node("b").object(),
        with_label("s", "S1").node("c").object()},
       make_pod("p").prefer_pod_affinity(5, "region", kS1).prefer_pod_affinity(5, "az", kS1),
       {{"a", 0}, {"b", 0}, {"c", 0}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(points({.nodes = nodes, .pods = c.pods}, c.pod, "InterPodAffinity", 2), c.points);
  }
}

}  // namespace oracle_affinity_test
}  // namespace proa::testkit
