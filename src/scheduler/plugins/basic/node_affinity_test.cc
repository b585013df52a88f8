#include "scheduler/plugins/basic/node_affinity.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/plugins/test_bench.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;
using testkit::NodeBuilder;
using testkit::PodBuilder;
using Names = std::vector<std::string>;
using Scores = std::vector<int64_t>;

constexpr const char* kRejected = "Unresolvable: node(s) didn't match Pod's node affinity/selector";

std::string one(const std::string& key, const std::string& op, const std::string& values = "") {
  return R"({"key":")" + key + R"(","operator":")" + op + R"(","values":[)" + values + "]}";
}
std::string expressions(const std::string& all) { return R"({"matchExpressions":[)" + all + "]}"; }
std::string fields(const std::string& all) { return R"({"matchFields":[)" + all + "]}"; }
std::string named(const std::string& name) {
  return one("metadata.name", "In", "\"" + name + "\"");
}
std::string selector(const std::string& terms) {
  return R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)" + terms +
         "]}}";
}
std::string added(const std::string& terms) {
  return R"({"addedAffinity":)" + selector(terms) + "}";
}
PodBuilder requiring(const std::string& terms) {
  return make_pod("p").affinity_json(R"({"nodeAffinity":)" + selector(terms) + "}");
}

TEST(NodeAffinity, TakesNodesWithTheLabelsThatAreSelected) {
  const NodeBuilder node = make_node("n").labels({{"foo", "bar"}, {"gpu", "k1"}, {"count", "5"}});
  struct Case {
    const char* name;
    PodBuilder pod;
    bool takes;
  };
  const Case cases[] = {
      {"nothing selected", make_pod("p"), true},
      {"a label", make_pod("p").node_selector({{"foo", "bar"}}), true},
      {"two labels", make_pod("p").node_selector({{"foo", "bar"}, {"gpu", "k1"}}), true},
      {"another value", make_pod("p").node_selector({{"foo", "baz"}}), false},
      {"one label more", make_pod("p").node_selector({{"foo", "bar"}, {"x", "y"}}), false},
      {"in", requiring(expressions(one("foo", "In", R"("bar","value2")"))), true},
      {"greater", requiring(expressions(one("count", "Gt", R"("4")"))), true},
      {"not greater", requiring(expressions(one("count", "Gt", R"("5")"))), false},
      {"less", requiring(expressions(one("count", "Lt", R"("6")"))), true},
      {"not in", requiring(expressions(one("mem-type", "NotIn", R"("DDR","DDR2")"))), true},
      {"exists", requiring(expressions(one("gpu", "Exists"))), true},
      {"does not exist", requiring(expressions(one("gpu", "DoesNotExist"))), false},
      {"others", requiring(expressions(one("foo", "In", R"("value1","value2")"))), false},
      {"an empty term", requiring("{}"), false},
      {"both of a term",
       requiring(expressions(one("gpu", "Exists") + "," + one("gpu", "NotIn", R"("amd")"))), true},
      {"one of a term",
       requiring(expressions(one("gpu", "Exists") + "," + one("gpu", "In", R"("amd")"))), false},
      {"one of two terms",
       requiring(expressions(one("foo", "In", R"("no")")) + "," +
                 expressions(one("gpu", "Exists"))),
       true},
      {"affinity and selector",
       requiring(expressions(one("gpu", "Exists"))).node_selector({{"foo", "bar"}}), true},
      {"affinity without selector",
       requiring(expressions(one("gpu", "Exists"))).node_selector({{"foo", "baz"}}), false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    TestBench bench(make_node_affinity);
    const NodeIndex index = bench.add(node);
    EXPECT_EQ(bench.check(c.pod, index), c.takes ? "" : kRejected);
  }
}

TEST(NodeAffinity, NamesTheOnlyNodesThatComeIntoQuestion) {
  const std::string label = expressions(one("foo", "In", R"("bar")"));
  struct Case {
    const char* name;
    PodBuilder pod;
    std::optional<Names> only;
    const char* says;  // of node n2, with the label
  };
  const Case cases[] = {
      {"another node", requiring(fields(named("n1"))), Names{"n1"}, kRejected},
      {"that node", requiring(fields(named("n2"))), Names{"n2"}, ""},
      {"two nodes", requiring(fields(named("n2")) + "," + fields(named("n1"))), Names{"n1", "n2"},
       ""},
      {"the same twice", requiring(fields(named("n2")) + "," + fields(named("n2"))), Names{"n2"},
       ""},
      {"a name or a label", requiring(fields(named("n1")) + "," + label), std::nullopt, ""},
      {"a name and a label",
       requiring(R"({"matchFields":[)" + named("n1") + R"(],"matchExpressions":[)" +
                 one("foo", "In", R"("bar")") + "]}"),
       Names{"n1"}, kRejected},
      {"a contradiction or a label",
       requiring(fields(named("n1") + "," + named("n2")) + "," + label), std::nullopt, ""},
      {"a contradiction or a name",
       requiring(fields(named("n1") + "," + named("n2")) + "," + fields(named("n2"))), Names{"n2"},
       ""},
      {"a contradiction", requiring(fields(named("n1") + "," + named("n2"))), std::nullopt,
       "all: Unresolvable: pod affinity terms conflict"},
      {"the same name twice in a term", requiring(fields(named("n2") + "," + named("n2"))),
       Names{"n2"}, ""},
      {"not that one", requiring(fields(one("metadata.name", "NotIn", R"("n1")"))), std::nullopt,
       ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    TestBench bench(make_node_affinity);
    const NodeIndex node = bench.add(make_node("n2").label("foo", "bar"));
    EXPECT_EQ(bench.as<FilterPlugin>().pre_filter(*bench.read(c.pod)).only_nodes, c.only);
    EXPECT_EQ(bench.check(c.pod, node), c.says);
  }
}

TEST(NodeAffinity, AddsWhatTheConfigurationSays) {
  TestBench by_name(make_node_affinity, added(fields(named("n2"))));
  const NodeIndex n1 = by_name.add(make_node("n1").label("zone", "foo"));
  const NodeIndex n2 = by_name.add(make_node("n2").label("zone", "foo"));
  const PodBuilder foo = requiring(expressions(one("zone", "In", R"("foo")")));
  const PodBuilder bar = requiring(expressions(one("zone", "In", R"("bar")")));
  constexpr const char* kEnforced =
      "Unresolvable: node(s) didn't match scheduler-enforced node affinity";
  EXPECT_EQ(by_name.check(foo, n2), "");
  EXPECT_EQ(by_name.check(bar, n2), kRejected);
  EXPECT_EQ(by_name.check(foo, n1), kEnforced);
  EXPECT_EQ(by_name.check(make_pod("p"), n1), kEnforced);
  EXPECT_EQ(by_name.check(make_pod("p"), n2), "");
}

TEST(NodeAffinity, SaysWhatIsMissing) {
  TestBench bench(make_node_affinity, added(expressions(one("pool", "Exists"))));
  const NodeIndex bare = bench.add(make_node("bare"));
  const NodeIndex pooled = bench.add(make_node("pooled").label("pool", "a"));
  EXPECT_EQ(bench.suggestion(make_pod("p"), bare),
            "match addedAffinity of the scheduler's configuration");
  EXPECT_EQ(bench.suggestion(make_pod("p").node_selector({{"disk", "ssd"}, {"pool", "a"}}), pooled),
            "label it disk=ssd");
  EXPECT_EQ(bench.suggestion(requiring(expressions(one("gpu", "Exists"))), pooled),
            "match spec.affinity.nodeAffinity of the pod");
}

TEST(NodeAffinity, PrefersNodesByTheWeightsThatTheyMeet) {
  const std::vector<NodeBuilder> nodes{
      make_node("n1").label("foo", "bar"),
      make_node("n2").labels({{"key", "value"}, {"az", "az1"}}),
      make_node("n3").labels({{"foo", "bar"}, {"key", "value"}, {"az", "az1"}}),
  };
  const PodBuilder by_label = make_pod("p").prefer_node(2, "foo", "In", {"bar"});
  const PodBuilder by_two = make_pod("p").affinity_json(
      R"({"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[)"
      R"({"weight":2,"preference":)" +
      expressions(one("foo", "In", R"("bar")")) + R"(},{"weight":4,"preference":)" +
      expressions(one("key", "In", R"("value")")) + R"(},{"weight":5,"preference":)" +
      expressions(one("foo", "In", R"("bar")") + "," + one("key", "In", R"("value")") + "," +
                  one("az", "In", R"("az1")")) +
      "}]}}");
  const std::string default_affinity =
      R"({"addedAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[)"
      R"({"weight":3,"preference":)" +
      expressions(one("key", "In", R"("value")")) + "}]}}";
  struct Case {
    const char* name;
    PodBuilder pod;
    std::string args;
    Scores scores;
  };
  const Case cases[] = {
      {"no preference", make_pod("p"), "", {}},
      {"nobody meets it", make_pod("p").prefer_node(2, "foo", "In", {"x"}), "", {0, 0, 0}},
      {"one label", by_label, "", {100, 0, 100}},
      {"several", by_two, "", {18, 36, 100}},  // 2, 4 and 11
      {"added", make_pod("p"), default_affinity, {0, 100, 100}},
      {"added to one", by_label, default_affinity, {40, 60, 100}},  // 2, 3 and 5
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    TestBench bench(make_node_affinity, c.args);
    for (const NodeBuilder& node : nodes) bench.add(node);
    EXPECT_EQ(bench.scores(c.pod), c.scores);
  }
}

TEST(NodeAffinity, IsHelpedByNodesThatAreSelectedNow) {
  TestBench bench(make_node_affinity);
  TestBench enforced(make_node_affinity, added(expressions(one("foo", "In", R"("bar")"))));
  const PodBuilder pod = requiring(expressions(one("foo", "In", R"("bar")")));
  const NodeBuilder fits = make_node("n").label("foo", "bar");
  const NodeBuilder fits_too = NodeBuilder(fits).label("x", "y");
  const NodeBuilder other = make_node("n").label("foo", "bar-2");
  EXPECT_TRUE(bench.helped_by_node(pod, nullptr, fits));
  EXPECT_FALSE(bench.helped_by_node(pod, nullptr, other));
  EXPECT_TRUE(bench.helped_by_node(pod, &other, fits));
  EXPECT_FALSE(bench.helped_by_node(pod, &fits, other));
  EXPECT_FALSE(bench.helped_by_node(pod, &fits, fits_too));
  EXPECT_FALSE(enforced.helped_by_node(make_pod("p"), nullptr, other));
  EXPECT_TRUE(enforced.helped_by_node(make_pod("p"), nullptr, fits));
}

}  // namespace
}  // namespace proa::scheduler
