#include "scheduler/plugins/basic/node_ports.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/plugins/test_bench.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;
using testkit::PodBuilder;

struct Port {
  const char* ip;
  const char* protocol;
  int port;
};

PodBuilder with_ports(std::string_view name, const std::vector<Port>& ports) {
  PodBuilder pod = make_pod(name);
  for (const Port& one : ports) pod.host_port(one.port, one.protocol, one.ip);
  return pod;
}

TEST(NodePorts, RejectsNodesWherePortsAreTaken) {
  struct Case {
    const char* name;
    std::vector<Port> wanted;
    std::vector<Port> used;
    bool fits;
  };
  const Case cases[] = {
      {"nothing wanted", {}, {{"", "TCP", 80}}, true},
      {"nothing used", {{"", "TCP", 80}}, {}, true},
      {"another port", {{"127.0.0.1", "UDP", 8080}}, {{"127.0.0.1", "UDP", 9090}}, true},
      {"the same of UDP", {{"127.0.0.1", "UDP", 8080}}, {{"127.0.0.1", "UDP", 8080}}, false},
      {"the same of TCP", {{"127.0.0.1", "TCP", 8080}}, {{"127.0.0.1", "TCP", 8080}}, false},
      {"another address", {{"127.0.0.1", "TCP", 8080}}, {{"127.0.0.2", "TCP", 8080}}, true},
      {"another protocol", {{"127.0.0.1", "UDP", 8080}}, {{"127.0.0.1", "TCP", 8080}}, true},
      {"the second one",
       {{"127.0.0.1", "UDP", 8000}, {"127.0.0.1", "UDP", 8080}},
       {{"127.0.0.1", "UDP", 8080}},
       false},
      {"one of several used",
       {{"127.0.0.1", "TCP", 8001}, {"127.0.0.1", "UDP", 8080}},
       {{"127.0.0.1", "TCP", 8001}, {"127.0.0.1", "UDP", 8081}},
       false},
      {"wanted on all addresses", {{"0.0.0.0", "TCP", 8001}}, {{"127.0.0.1", "TCP", 8001}}, false},
      {"used on all addresses", {{"127.0.0.1", "TCP", 8001}}, {{"0.0.0.0", "TCP", 8001}}, false},
      {"no address is all of them", {{"127.0.0.1", "TCP", 8001}}, {{"", "TCP", 8001}}, false},
      {"all addresses, another protocol",
       {{"127.0.0.1", "TCP", 8001}},
       {{"0.0.0.0", "UDP", 8001}},
       true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    TestBench bench(make_node_ports);
    const NodeIndex node = bench.add(make_node("n"));
    bench.add(with_ports("there", c.used).node("n"));
    EXPECT_EQ(
        bench.check(with_ports("p", c.wanted), node),
        c.fits ? "" : "Unschedulable: node(s) didn't have free ports for the requested pod ports");
  }
}

TEST(NodePorts, CountsPortsOfInitContainersOnlyWhenTheyStay) {
  TestBench bench(make_node_ports);
  const NodeIndex node = bench.add(make_node("n"));
  bench.add(with_ports("there", {{"", "TCP", 8001}}).node("n"));
  constexpr const char* kPorts = R"([{"containerPort":8001,"hostPort":8001,"protocol":"TCP"}])";
  const PodBuilder passing =
      make_pod("p").init_request({}).spec_json("initContainers.0.ports", kPorts);
  const PodBuilder staying =
      make_pod("p").sidecar_request({}).spec_json("initContainers.0.ports", kPorts);
  EXPECT_EQ(bench.check(passing, node), "");
  EXPECT_NE(bench.check(staying, node), "");
}

TEST(NodePorts, SaysWhichPortIsToBeFreed) {
  TestBench bench(make_node_ports);
  const NodeIndex node = bench.add(make_node("n"));
  bench.add(with_ports("there", {{"127.0.0.1", "UDP", 53}, {"", "TCP", 80}}).node("n"));
  EXPECT_EQ(bench.suggestion(with_ports("p", {{"", "TCP", 80}}), node), "free host port 80/TCP");
  EXPECT_EQ(bench.suggestion(with_ports("p", {{"127.0.0.1", "UDP", 53}}), node),
            "free host port 127.0.0.1:53/UDP");
}

TEST(NodePorts, IsHelpedByPodsThatFreeAPort) {
  TestBench bench(make_node_ports);
  const PodBuilder pod = with_ports("p", {{"", "TCP", 8080}});
  const PodBuilder same = with_ports("q", {{"127.0.0.1", "TCP", 8080}});
  constexpr auto kPlaced = EventResource::kAssignedPod;
  constexpr auto kWaiting = EventResource::kUnscheduledPod;
  EXPECT_TRUE(bench.helped_by_pod(pod, kPlaced, PodBuilder(same).node("n"), nullptr));
  EXPECT_TRUE(bench.helped_by_pod(pod, kWaiting, PodBuilder(same).nominated("n"), nullptr));
  EXPECT_FALSE(bench.helped_by_pod(pod, kWaiting, same, nullptr));
  EXPECT_FALSE(bench.helped_by_pod(pod, kPlaced, make_pod("q").node("n"), nullptr));
  EXPECT_FALSE(
      bench.helped_by_pod(pod, kPlaced, with_ports("q", {{"", "TCP", 9}}).node("n"), nullptr));
  EXPECT_TRUE(bench.helped_by_node(pod, nullptr, make_node("n")));
}

}  // namespace
}  // namespace proa::scheduler
