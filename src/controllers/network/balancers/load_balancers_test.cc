#include "controllers/network/balancers/load_balancers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/network/balancers/load_balancer.h"
#include "kinds/core/services/announcements.h"
#include "testkit/controllers/network_world.h"

namespace proa::controllers {
namespace {

constexpr const char* kBalanced = R"(,"type":"LoadBalancer")";

class LoadBalancersTest : public testing::Test {
 protected:
  explicit LoadBalancersTest(const std::string& pool = "nodes")
      : network_({{"service", "service-controller", make_load_balancer_controller}},
                 ControllerOptions{.load_balancer_pool = pool}),
        world_(network_.world()) {}

  json::Document service(std::string_view name = "web") {
    return network_.document("", "services", "default", name);
  }
  std::string ingress(std::string_view name = "web") {
    world_.settle();
    const json::Document document = service(name);
    std::vector<std::string> addresses;
    const api::View status = api::View(document.root())["status"];
    for (const api::View one : status["loadBalancer"]["ingress"].items()) {
      addresses.emplace_back(one["ip"].text());
    }
    return join(addresses, " ");
  }
  bool has_finalizer(std::string_view name = "web") {
    const json::Document document = service(name);
    for (const api::View one : api::View(document.root())["metadata"]["finalizers"].items()) {
      if (one.text() == "service.kubernetes.io/load-balancer-cleanup") return true;
    }
    return false;
  }
  std::vector<std::string> reasons() {
    std::vector<std::string> all;
    for (const std::string& event : network_.events()) {
      all.emplace_back(split_once(event, ':')->before);
    }
    return all;
  }

  // How often an Event occurred, of those that differ.
  int count(std::string_view event) {
    world_.settle();
    const auto& events = network_.events();
    return static_cast<int>(std::count(events.begin(), events.end(), event));
  }

  NetworkWorld network_;
  testkit::TestWorld& world_;
};

TEST_F(LoadBalancersTest, TheAddressesAreThoseOfTheNodes) {
  network_.add_node("node-1", "", "192.0.2.11");
  network_.add_service("web", kBalanced);
  network_.add_service("plain");
  EXPECT_EQ(ingress(), "192.0.2.11");
  EXPECT_TRUE(has_finalizer());
  EXPECT_EQ(ingress("plain"), "");
  EXPECT_FALSE(has_finalizer("plain"));
  EXPECT_EQ(network_.events(),
            (std::vector<std::string>{"EnsuringLoadBalancer: Ensuring load balancer",
                                      "EnsuredLoadBalancer: Ensured load balancer"}));
  network_.add_node("node-2", "", "192.0.2.12");
  EXPECT_EQ(ingress(), "192.0.2.11 192.0.2.12");
  EXPECT_EQ(network_.events().back(), "UpdatedLoadBalancer: Updated load balancer with new hosts");
  network_.set_node("node-1", false, "192.0.2.11");
  EXPECT_EQ(ingress(), "192.0.2.12");
  world_.patch("", "nodes", "", "node-2",
               R"({"metadata":{"labels":{)"
               R"("node.kubernetes.io/exclude-from-external-load-balancers":""}}})");
  EXPECT_EQ(ingress(), "");
  EXPECT_EQ(network_.events().back(),
            "UnAvailableLoadBalancer: There are no available nodes for LoadBalancer");
}

TEST_F(LoadBalancersTest, WarnsWithoutNodes) {
  network_.add_service("web", kBalanced);
  EXPECT_EQ(ingress(), "");
  EXPECT_TRUE(has_finalizer());
  EXPECT_EQ(reasons(), (std::vector<std::string>{"EnsuringLoadBalancer", "UnAvailableLoadBalancer",
                                                 "EnsuredLoadBalancer"}));
  network_.add_node("node-1", "", "192.0.2.11");
  EXPECT_EQ(ingress(), "192.0.2.11");
}

TEST_F(LoadBalancersTest, WritesNothingInASteadyState) {
  network_.add_node("node-1", "", "192.0.2.11");
  network_.add_service("web", kBalanced);
  world_.settle();
  EXPECT_EQ(network_.watched().writes, 1U);
  const size_t events = network_.events().size();
  world_.restart();
  world_.settle();
  EXPECT_EQ(network_.watched().writes, 1U);
  EXPECT_EQ(network_.events().size(), events);
  world_.patch("", "nodes", "", "node-1", R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(world_.settle(), 0U);
}

TEST_F(LoadBalancersTest, RecordsAndRetriesFailures) {
  network_.add_node("node-1", "", "192.0.2.11");
  network_.add_service("web", kBalanced);
  network_.watched().writes_left = 0;
  EXPECT_EQ(ingress(), "");
  EXPECT_EQ(network_.events().back(),
            "SyncLoadBalancerFailed: Error syncing load balancer: failed to update load balancer "
            "status: the connection broke");
  network_.watched().writes_left = 5;
  world_.pass(std::chrono::seconds(5));
  EXPECT_EQ(ingress(), "192.0.2.11");
}

TEST_F(LoadBalancersTest, RemovesTheFinalizerAfterCleanup) {
  network_.add_node("node-1", "", "192.0.2.11");
  network_.add_service("web", kBalanced);
  world_.settle();
  world_.remove("", "services", "default", "web");
  EXPECT_NE(world_.get("", "services", "default", "web"), nullptr);
  world_.restart();
  world_.settle();
  EXPECT_EQ(world_.get("", "services", "default", "web"), nullptr);
  EXPECT_EQ(network_.events()[2], "DeletingLoadBalancer: Deleting load balancer");
  EXPECT_EQ(network_.events()[3], "DeletedLoadBalancer: Deleted load balancer");
}

TEST_F(LoadBalancersTest, AnotherTypeNeedsNone) {
  network_.add_node("node-1", "", "192.0.2.11");
  network_.add_service("web", kBalanced);
  world_.settle();
  world_.patch("", "services", "default", "web", R"({"spec":{"type":"ClusterIP"}})");
  EXPECT_EQ(ingress(), "");
  EXPECT_FALSE(has_finalizer());
}

TEST_F(LoadBalancersTest, IgnoresForeignObjects) {
  network_.add_node("node-1", "", "192.0.2.11");
  network_.add_service("web", std::string(kBalanced) + R"(,"loadBalancerClass":"example.com/x")",
                       R"(,"finalizers":["service.kubernetes.io/load-balancer-cleanup"])");
  EXPECT_EQ(ingress(), "");
  world_.remove("", "services", "default", "web");
  EXPECT_EQ(world_.settle(), 0U);
  EXPECT_TRUE(has_finalizer());
  EXPECT_TRUE(network_.events().empty());
}

TEST_F(LoadBalancersTest, APortOfTheNodesLeadsToOneService) {
  network_.add_node("node-1", "", "192.0.2.11");
  network_.add_service("web", kBalanced);
  world_.settle();
  network_.add_service("late", kBalanced);
  world_.create("", "services", "default",
                R"({"metadata":{"name":"udp"},"spec":{"type":"LoadBalancer","ports":[)"
                R"({"port":80,"protocol":"UDP"}]}})");
  EXPECT_EQ(ingress("web"), "192.0.2.11");
  EXPECT_EQ(ingress("udp"), "192.0.2.11");
  EXPECT_EQ(ingress("late"), "");
  EXPECT_TRUE(has_finalizer("late"));
  const std::string refused =
      "SyncLoadBalancerFailed: Error syncing load balancer: failed to ensure load balancer: port "
      "80/TCP is used by Service default/web";
  EXPECT_EQ(count(refused), 1);
  world_.restart();
  EXPECT_EQ(ingress("web"), "192.0.2.11");
  EXPECT_EQ(ingress("late"), "");
  world_.remove("", "services", "default", "web");
  EXPECT_EQ(ingress("late"), "192.0.2.11");
  EXPECT_EQ(network_.events().back(), "EnsuredLoadBalancer: Ensured load balancer");
}

TEST_F(LoadBalancersTest, ProgramsAndPodsOfANodeKeepTheirPorts) {
  network_.add_node("node-1", "", "192.0.2.11");
  network_.add_node("node-2", "", "192.0.2.12");
  world_.patch("", "nodes", "", "node-1",
               R"({"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":10250}}}})", "status");
  network_.add_pod({.name = "edge",
                    .node = "node-2",
                    .addresses = {"10.0.0.1"},
                    .more_container = R"(,"ports":[{"containerPort":80,"hostPort":80}])"});
  network_.add_service("web", kBalanced);
  world_.create("", "services", "default",
                R"({"metadata":{"name":"node"},"spec":{"type":"LoadBalancer","ports":[)"
                R"({"port":10250}]}})");
  EXPECT_EQ(ingress("web"), "192.0.2.11");
  EXPECT_EQ(ingress("node"), "192.0.2.12");
  EXPECT_EQ(count("LoadBalancerNotOnAllNodes: Not all nodes serve the load balancer: "
                  "port 80/TCP of node node-2 is used by pod default/edge"),
            1);
  EXPECT_EQ(count("LoadBalancerNotOnAllNodes: Not all nodes serve the load balancer: "
                  "port 10250/TCP of node node-1 is used by the kubelet"),
            1);
  world_.patch("", "pods", "default", "edge", R"({"status":{"phase":"Succeeded"}})", "status");
  EXPECT_EQ(ingress("web"), "192.0.2.11 192.0.2.12");
  world_.create("", "services", "default",
                R"({"metadata":{"name":"plain"},"spec":{"type":"NodePort","ports":[)"
                R"({"port":1,"nodePort":30080}]}})");
  world_.create("", "services", "default",
                R"({"metadata":{"name":"high"},"spec":{"type":"LoadBalancer","ports":[)"
                R"({"port":30080}]}})");
  EXPECT_EQ(ingress("high"), "");
  world_.remove("", "services", "default", "plain");
  EXPECT_EQ(ingress("high"), "192.0.2.11 192.0.2.12");
  // As the node itself finds out.
  world_.patch("", "nodes", "", "node-1",
               R"({"metadata":{"annotations":{"proa.dev/used-ports":"80/UDP,30080/TCP"}}})");
  EXPECT_EQ(ingress("high"), "192.0.2.12");
  EXPECT_EQ(ingress("web"), "192.0.2.11 192.0.2.12");
  EXPECT_EQ(count("LoadBalancerNotOnAllNodes: Not all nodes serve the load balancer: "
                  "port 30080/TCP of node node-1 is used by a program"),
            1);
}

TEST_F(LoadBalancersTest, AnAddressThatIsAskedForIsIgnoredWithAWarning) {
  const std::string ignored =
      "LoadBalancerIPIgnored: loadBalancerIP 203.0.113.1 is ignored: load balancers have the "
      "addresses of the nodes (--load-balancer-pool=nodes)";
  network_.add_node("node-1", "", "192.0.2.11");
  network_.add_service("web", kBalanced);
  world_.settle();
  EXPECT_EQ(count(ignored), 0);
  world_.patch("", "services", "default", "web", R"({"spec":{"loadBalancerIP":"203.0.113.1"}})");
  EXPECT_EQ(ingress("web"), "192.0.2.11");
  EXPECT_EQ(count(ignored), 1);
  network_.set_node("node-1", true, "192.0.2.12");
  EXPECT_EQ(ingress("web"), "192.0.2.12");
  EXPECT_EQ(count(ignored), 1) << "told once";
}

class LoadBalancerPoolTest : public LoadBalancersTest {
 protected:
  LoadBalancerPoolTest() : LoadBalancersTest("198.51.100.8/31,2001:db8::/126") {}

  void request(std::string_view name, std::string_view address) {
    world_.patch("", "services", "default", name,
                 fmt::format(R"({{"spec":{{"loadBalancerIP":"{}"}}}})", address));
  }
};

TEST_F(LoadBalancerPoolTest, EachServiceHasAnAddressOfItsOwnWhileItExists) {
  network_.add_node("node-1", "", "192.0.2.11");
  network_.add_service("a", kBalanced);
  network_.add_service("b", kBalanced);
  EXPECT_EQ(ingress("a"), "198.51.100.8");
  EXPECT_EQ(ingress("b"), "198.51.100.9");
  const json::Document written = service("a");
  const api::View root(written.root());
  EXPECT_EQ(root["status"]["loadBalancer"]["ingress"].item(0)["ipMode"].text(), "VIP");
  EXPECT_EQ(root["metadata"]["labels"][kinds::kAnnouncedLabel].text(), "true");
  const size_t writes = network_.watched().writes;
  network_.set_node("node-1", true, "192.0.2.12");
  world_.restart();
  EXPECT_EQ(ingress("b"), "198.51.100.9");
  EXPECT_EQ(network_.watched().writes, writes);
  network_.add_service("c", kBalanced);
  EXPECT_EQ(ingress("c"), "");
  EXPECT_EQ(network_.events().back(),
            "SyncLoadBalancerFailed: Error syncing load balancer: failed to ensure load balancer: "
            "no IPv4 address is free in the pool 198.51.100.8/31,2001:db8::/126");
  world_.remove("", "services", "default", "a");
  EXPECT_EQ(ingress("c"), "198.51.100.8");
  EXPECT_EQ(ingress("b"), "198.51.100.9");
  world_.patch("", "services", "default", "b", R"({"spec":{"type":"ClusterIP"}})");
  EXPECT_EQ(ingress("b"), "");
  EXPECT_FALSE(has_finalizer("b"));
  network_.add_service("d", kBalanced);
  EXPECT_EQ(ingress("d"), "198.51.100.9");
}

TEST_F(LoadBalancerPoolTest, GivesTheAddressThatIsAskedFor) {
  network_.add_node("node-1", "", "192.0.2.11");
  network_.add_service("a", std::string(kBalanced) + R"(,"loadBalancerIP":"198.51.100.9")");
  EXPECT_EQ(ingress("a"), "198.51.100.9");
  network_.add_service("b", std::string(kBalanced) + R"(,"loadBalancerIP":"198.51.100.9")");
  EXPECT_EQ(ingress("b"), "");
  EXPECT_EQ(network_.events().back(),
            "SyncLoadBalancerFailed: Error syncing load balancer: failed to ensure load balancer: "
            "loadBalancerIP 198.51.100.9 is used by Service default/a");
  request("b", "203.0.113.1");
  EXPECT_EQ(ingress("b"), "");
  EXPECT_EQ(network_.events().back(),
            "SyncLoadBalancerFailed: Error syncing load balancer: failed to ensure load balancer: "
            "loadBalancerIP 203.0.113.1 is not in the pool 198.51.100.8/31,2001:db8::/126");
  request("b", "198.51.100.8");
  EXPECT_EQ(ingress("b"), "198.51.100.8");
  // It keeps what it has until the other one is free.
  request("b", "198.51.100.9");
  EXPECT_EQ(ingress("b"), "198.51.100.8");
  world_.remove("", "services", "default", "a");
  EXPECT_EQ(ingress("b"), "198.51.100.9");
}

}  // namespace
}  // namespace proa::controllers
