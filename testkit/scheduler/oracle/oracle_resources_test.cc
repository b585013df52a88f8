#include "testkit/scheduler/oracle/oracle_resources.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/oracle/oracle_checks.h"

namespace proa::testkit {
namespace oracle_resources_test {

using namespace oracle_checks;  // NOLINT: the words of these tests

// What upstream's tests have: 10m of cpu, 20 bytes of memory and some more.
NodeBuilder small(std::string_view name = "n") {
  return make_node(name).capacity({{"cpu", "10m"},
                                   {"memory", "20"},
                                   {"pods", "32"},
                                   {"example.com/aaa", "5"},
                                   {"ephemeral-storage", "20"},
                                   {"hugepages-2Mi", "5"}});
}

PodBuilder takes(const char* cpu, const char* memory) {
  return make_pod("p").request({{"cpu", cpu}, {"memory", memory}});
}

TEST(OracleFit, SaysWhatIsMissing) {
  const struct {
    const char* name;
    PodBuilder used;
    PodBuilder pod;
    const char* reason;
  } cases[] = {
      {"nothing asked for", takes("10m", "20"), make_pod("p"), nullptr},
      {"too much of both", takes("10m", "20"), takes("1m", "1"),
       "NodeResourcesFit: Insufficient cpu, Insufficient memory"},
      {"init containers: the largest counts", takes("8m", "19"),
       takes("1m", "1")
           .init_request({{"cpu", "2m"}, {"memory", "1"}})
           .init_request({{"cpu", "3m"}}),
       "NodeResourcesFit: Insufficient cpu"},
      {"init containers do not add", takes("9m", "19"),
       takes("1m", "1").init_request({{"cpu", "1m"}}).init_request({{"cpu", "1m"}}), nullptr},
      {"sidecars add", takes("9m", "5"), takes("1m", "1").sidecar_request({{"cpu", "1m"}}),
       "NodeResourcesFit: Insufficient cpu"},
      {"a sidecar runs while later ones begin", takes("5m", "5"),
       takes("1m", "1").sidecar_request({{"cpu", "3m"}}).init_request({{"cpu", "3m"}}),
       "NodeResourcesFit: Insufficient cpu"},
      {"only memory", takes("5m", "19"), takes("1m", "2"), "NodeResourcesFit: Insufficient memory"},
      {"equal edge", takes("5m", "19"), takes("5m", "1"), nullptr},
      {"more than there can be", takes("5m", "5"), takes("11m", "1"),
       "(never) NodeResourcesFit: Insufficient cpu"},
      {"overhead fits", takes("5m", "5"),
       takes("1m", "1").overhead({{"cpu", "3m"}, {"memory", "13"}}), nullptr},
      {"overhead is too much", takes("5m", "5"),
       takes("1m", "1").overhead({{"cpu", "1m"}, {"memory", "15"}}),
       "NodeResourcesFit: Insufficient memory"},
      {"extended, taken", make_pod("q").request({{"example.com/aaa", "5"}}),
       make_pod("p").request({{"example.com/aaa", "1"}}),
       "NodeResourcesFit: Insufficient example.com/aaa"},
      {"extended, too many", make_pod("q"),
       make_pod("p")
           .request({{"example.com/aaa", "3"}})
           .container()
           .request({{"example.com/aaa", "3"}}),
       "(never) NodeResourcesFit: Insufficient example.com/aaa"},
      {"extended, unknown", make_pod("q"), make_pod("p").request({{"example.com/bbb", "1"}}),
       "(never) NodeResourcesFit: Insufficient example.com/bbb"},
      {"of kubernetes.io", make_pod("q"),
       make_pod("p").request({{"kubernetes.io/something", "10"}}),
       "(never) NodeResourcesFit: Insufficient kubernetes.io/something"},
      {"huge pages", make_pod("q").request({{"hugepages-2Mi", "2"}}),
       make_pod("p").request({{"hugepages-2Mi", "4"}}),
       "NodeResourcesFit: Insufficient hugepages-2Mi"},
      {"storage", make_pod("q").request({{"ephemeral-storage", "10"}}),
       make_pod("p").request({{"ephemeral-storage", "25"}}),
       "(never) NodeResourcesFit: Insufficient ephemeral-storage"},
      {"the pod says more than its containers", takes("5m", "5"),
       takes("1m", "1").pod_request({{"cpu", "7m"}, {"memory", "2"}}),
       "NodeResourcesFit: Insufficient cpu"},
      {"the pod's word stands", takes("5m", "5"),
       takes("1m", "1").pod_request({{"cpu", "3m"}, {"memory", "2"}}), nullptr},
      {"the pod that runs says so", takes("1m", "1").pod_request({{"cpu", "9m"}, {"memory", "2"}}),
       takes("2m", "1"), "NodeResourcesFit: Insufficient cpu"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const TestCluster cluster{.nodes = {small().object()},
                              .pods = {PodBuilder(c.used).node("n").object()}};
    EXPECT_EQ(told(cluster, c.pod), c.reason == nullptr ? Told() : Told({{"n", c.reason}}));
  }
}

TEST(OracleFit, CountsPods) {
  const TestCluster cluster{
      .nodes = {make_node("n").capacity({{"cpu", "1"}, {"memory", "1Gi"}, {"pods", "1"}}).object()},
      .pods = {make_pod("q").node("n").object()}};
  EXPECT_EQ(told(cluster, make_pod("p")), (Told{{"n", "NodeResourcesFit: Too many pods"}}));
}

TEST(OracleFit, CountsResizedPodsAsTheKubeletReports) {
  const auto running = make_pod("q").node("n").request({{"cpu", "4m"}});
  const auto status = [&](const char* actuated, const char* allocated) {
    return PodBuilder(running).status_json(
        "containerStatuses",
        R"([{"name":")" +
            std::string(api::View(running.object()->document().value().root())["spec"]["containers"]
                            .item(0)["name"]
                            .text()) +
            R"(","image":"i","imageID":"i","ready":true,"restartCount":0,"resources":{"requests":{"cpu":")" +
            actuated + R"("}},"allocatedResources":{"cpu":")" + allocated + R"("}}])");
  };
  const char* infeasible = R"([{"type":"PodResizePending","status":"True","reason":"Infeasible"}])";
  const struct {
    const char* name;
    PodBuilder used;
    bool fits;  // of 5m; 10m are there
  } cases[] = {
      {"as specified", running, true},
      {"more is in force", status("6m", "4m"), false},
      {"more is promised", status("4m", "6m"), false},
      {"less is in force", status("1m", "1m"), true},
      {"what cannot be is not counted",
       status("1m", "1m")
           .spec_json("containers.0.resources.requests", R"({"cpu":"9m"})")
           .status_json("conditions", infeasible),
       true},
      {"what may be is",
       status("1m", "1m").spec_json("containers.0.resources.requests", R"({"cpu":"9m"})"), false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const TestCluster cluster{.nodes = {small().object()}, .pods = {c.used.object()}};
    EXPECT_EQ(told(cluster, make_pod("p").request({{"cpu", "5m"}})).empty(), c.fits);
  }
}

NodeBuilder sized(std::string_view name, const char* cpu, const char* memory) {
  return make_node(name).capacity({{"cpu", cpu}, {"memory", memory}, {"pods", "110"}});
}

PodBuilder two_containers() {
  return takes("1000m", "2000").container().request({{"cpu", "2000m"}, {"memory", "3000"}});
}

PodBuilder runs(std::string_view node, const char* cpu, const char* memory) {
  return make_pod("on-" + std::string(node)).node(node).request({{"cpu", cpu}, {"memory", memory}});
}

TEST(OracleLeastAllocated, TheMoreIsLeftTheBetter) {
  const struct {
    const char* name;
    std::vector<api::ObjectPtr> nodes;
    std::vector<api::ObjectPtr> pods;
    PodBuilder pod;
    Points points;
  } cases[] = {
      {"nodes of two sizes",
       {sized("a", "4", "10000").object(), sized("b", "6", "10000").object()},
       {},
       two_containers(),
       {{"a", 37}, {"b", 50}}},
      {"something runs",
       {sized("a", "10", "20000").object(), sized("b", "10", "20000").object()},
       {runs("a", "3", "0").object(), runs("b", "3", "5000").object()},
       two_containers(),
       {{"a", 57}, {"b", 45}}},
      {"something runs on nodes of two sizes",
       {sized("a", "10", "20000").object(), sized("b", "10", "50000").object()},
       {runs("a", "3", "0").object(), runs("b", "3", "5000").object()},
       two_containers(),
       {{"a", 57}, {"b", 60}}},
      // 100m and 200Mi for each container that does not say.
      {"defaults",
       {sized("a", "1", "1000Mi").object(), sized("b", "1", "1000Mi").object()},
       {make_pod("q").node("a").container().object()},
       make_pod("p"),
       {{"a", 55}, {"b", 85}}},
      // The pod's own resources do not count here, while it waits; when it runs they do.
      {"pod level",
       {sized("a", "1", "1000Mi").object(), sized("b", "1", "1000Mi").object()},
       {make_pod("q").node("a").pod_request({{"cpu", "500m"}, {"memory", "500Mi"}}).object()},
       make_pod("p").pod_request({{"cpu", "400m"}, {"memory", "100Mi"}}),
       {{"a", 35}, {"b", 85}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(points({.nodes = c.nodes, .pods = c.pods}, c.pod, "NodeResourcesFit"), c.points);
  }
}

TEST(OracleBalance, ComparesBeforeAndAfter) {
  const auto cpu_only = [](std::string_view node) {
    return make_pod("on-" + std::string(node))
        .node(node)
        .request({{"cpu", "1"}})
        .container()
        .request({{"cpu", "2"}});
  };
  const struct {
    const char* name;
    std::vector<api::ObjectPtr> nodes;
    std::vector<api::ObjectPtr> pods;
    PodBuilder pod;
    Points points;
  } cases[] = {
      {"nothing asked for", {sized("a", "4", "10000").object()}, {}, make_pod("p"), {}},
      {"nodes of two sizes",
       {sized("a", "4", "10000").object(), sized("b", "6", "10000").object()},
       {},
       two_containers(),
       {{"a", 68}, {"b", 75}}},
      {"something runs",
       {sized("a", "10", "20000").object(), sized("b", "10", "20000").object()},
       {cpu_only("a").object(), runs("b", "3", "5000").object()},
       two_containers(),
       {{"a", 73}, {"b", 74}}},
      {"something runs on nodes of two sizes",
       {sized("a", "10", "20000").object(), sized("b", "10", "50000").object()},
       {cpu_only("a").object(), runs("b", "3", "5000").object()},
       two_containers(),
       {{"a", 73}, {"b", 70}}},
      {"best and worst",
       {sized("a", "3", "5000").object(), sized("b", "3", "5000").object()},
       {cpu_only("a").object()},
       make_pod("p").request({{"memory", "5000"}}),
       {{"a", 100}, {"b", 50}}},
      {"all of it",
       {sized("a", "6", "10000").object(), sized("b", "6", "10000").object()},
       {cpu_only("a").object(), runs("b", "3", "5000").object()},
       make_pod("p").request({{"cpu", "3"}}),
       {{"a", 62}, {"b", 62}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(points({.nodes = c.nodes, .pods = c.pods}, c.pod, "NodeResourcesBalancedAllocation"),
              c.points);
  }
}

}  // namespace oracle_resources_test
}  // namespace proa::testkit
