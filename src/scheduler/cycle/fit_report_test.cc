#include "scheduler/cycle/fit_report.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/default_bench.h"

namespace proa::scheduler {
namespace {

using testkit::DefaultBench;
using testkit::make_node;
using testkit::make_pod;
using testkit::NodeBuilder;
using testkit::Pairs;
using testkit::PodBuilder;

NodeBuilder node(std::string_view name, const Pairs& amounts = {{"cpu", "1"}, {"memory", "1Gi"}}) {
  return make_node(name).hostname(name).capacity(amounts).capacity({{"pods", "10"}});
}

std::string names(const std::vector<const Plugin*>& plugins) {
  std::string text;
  for (const Plugin* plugin : plugins)
    text += (text.empty() ? "" : " ") + std::string(plugin->name());
  return text;
}

// What upstream says in such clusters.
TEST(FitMessage, IsUpstreams) {
  struct Case {
    const char* name;
    std::vector<NodeBuilder> nodes;
    PodBuilder pod;
    std::string message;
    std::string rejected_by;
  };
  const PodBuilder large = make_pod("a").request({{"cpu", "2"}, {"memory", "2Gi"}});
  const PodBuilder by_name = make_pod("a").affinity_json(
      R"({"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)"
      R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]}}})");
  const PodBuilder nowhere = make_pod("a").affinity_json(
      R"({"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)"
      R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]},)"
      R"({"key":"metadata.name","operator":"In","values":["n2"]}]}]}}})");
  const std::vector<Case> cases = {
      {"one reason",
       {node("n1"), node("n2")},
       make_pod("a").request({{"cpu", "2"}}),
       "0/2 nodes are available: 2 Insufficient cpu.",
       "NodeResourcesFit"},
      {"several of one node, sorted as texts",
       {node("n1"), node("n2", {{"cpu", "4"}, {"memory", "1Gi"}})},
       large,
       "0/2 nodes are available: 1 Insufficient cpu, 2 Insufficient memory.",
       "NodeResourcesFit"},
      {"of several plugins",
       {node("n1"), node("n2").taint("why", "", "NoSchedule"), node("n3").unschedulable(),
        node("n4").taint("why", "", "NoSchedule")},
       large,
       "0/4 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 1 node(s) were "
       "unschedulable, 2 node(s) had untolerated taint(s).",
       "NodeResourcesFit TaintToleration NodeUnschedulable"},
      {"narrowed to one that will not do",
       {node("n1").unschedulable(), node("n2"), node("n3")},
       by_name,
       "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't satisfy plugin(s) "
       "[NodeAffinity].",
       "NodeAffinity NodeUnschedulable"},
      {"narrowed to one that there is not",
       {node("n2"), node("n3")},
       by_name,
       "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
       "NodeAffinity"},
      {"a PreFilter that leaves none",
       {node("n1"), node("n2")},
       nowhere,
       "0/2 nodes are available: pod affinity terms conflict.",
       "NodeAffinity"},
      {"a PreFilter that rejects",
       {node("n1"), node("n2")},
       make_pod("a").claim("data"),
       "0/2 nodes are available: persistentvolumeclaim \"data\" not found.",
       "VolumeRestrictions"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    DefaultBench bench;
    for (const NodeBuilder& one : c.nodes) bench.add(one);
    const PodPtr pod = bench.read(c.pod);
    Evaluation evaluation = bench.evaluate(*pod);
    evaluation.refresh(*pod);
    EXPECT_FALSE(evaluation.choose(bench.random));
    EXPECT_EQ(fit_message(bench.cluster, evaluation, ""), c.message);
    EXPECT_EQ(fit_message(bench.cluster, evaluation, "preemption: no."),
              c.message + " preemption: no.");
    EXPECT_EQ(names(rejecting_plugins(evaluation)), c.rejected_by);
    EXPECT_EQ(first_error(bench.cluster, evaluation), nullptr);
  }
}

TEST(FitMessage, CountsNodesThatAreThere) {
  DefaultBench bench;
  for (const char* name : {"n1", "n2", "n3"}) bench.add(node(name));
  bench.add(make_pod("there").node("n2"));
  bench.add(make_pod("nowhere").node("n9"));
  bench.cluster.remove_node(api::NodeNameView("n2"));
  const PodPtr pod = bench.read(make_pod("a").request({{"cpu", "2"}}));
  Evaluation evaluation = bench.evaluate(*pod);
  evaluation.refresh(*pod);
  EXPECT_FALSE(evaluation.choose(bench.random));
  EXPECT_EQ(fit_message(bench.cluster, evaluation, ""),
            "0/2 nodes are available: 2 Insufficient cpu.");
}

}  // namespace
}  // namespace proa::scheduler
