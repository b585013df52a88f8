#include "controllers/network/load_balancers.h"

#include <gtest/gtest.h>

#include "controllers/network/load_balancer.h"
#include "testkit/controllers/network_world.h"

namespace proa::controllers {
namespace {

constexpr const char* kBalanced = R"(,"type":"LoadBalancer")";

class LoadBalancersTest : public testing::Test {
 protected:
  LoadBalancersTest()
      : network_({{"service", "service-controller", make_load_balancer_controller}}),
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

TEST(BalancerAddresses, AreOfUsableNodesAndOfTheFamiliesAskedFor) {
  const auto node = [](std::string_view addresses, std::string_view metadata = "",
                       std::string_view spec = "", std::string_view ready = "True") {
    return api::Object::make(
        fmt::format(R"({{"metadata":{{"name":"n"{}}},"spec":{{{}}},"status":{{"conditions":[)"
                    R"({{"type":"Ready","status":"{}"}}],"addresses":[{}]}}}})",
                    metadata, spec, ready, addresses));
  };
  constexpr const char* kBoth = R"({"type":"InternalIP","address":"192.0.2.1"},)"
                                R"({"type":"ExternalIP","address":"198.51.100.1"},)"
                                R"({"type":"InternalIP","address":"2001:db8::1"})";
  constexpr const char* kOne = R"({"type":"InternalIP","address":"192.0.2.2"})";
  const auto excluded = [](std::string_view value) {
    return fmt::format(
        R"(,"labels":{{"node.kubernetes.io/exclude-from-external-load-balancers":"{}"}})", value);
  };
  struct Case {
    const char* name;
    std::vector<api::ObjectPtr> nodes;
    std::vector<IpFamily> families;
    const char* addresses;
  };
  const Case cases[] = {
      {"one family", {node(kBoth), node(kOne)}, {IpFamily::kV4}, "192.0.2.1 192.0.2.2"},
      {"both families",
       {node(kBoth), node(kOne)},
       {IpFamily::kV6, IpFamily::kV4},
       "2001:db8::1 192.0.2.1 192.0.2.2"},
      {"not ready", {node(kOne, "", "", "Unknown")}, {IpFamily::kV4}, ""},
      {"excluded", {node(kOne, excluded("true"))}, {IpFamily::kV4}, ""},
      {"excluded by nothing that is a boolean", {node(kOne, excluded("x"))}, {IpFamily::kV4}, ""},
      {"not excluded", {node(kOne, excluded("false"))}, {IpFamily::kV4}, "192.0.2.2"},
      {"going",
       {node(kOne, "", R"("taints":[{"key":"ToBeDeletedByClusterAutoscaler"}])")},
       {IpFamily::kV4},
       ""},
      {"being deleted",
       {node(kOne, R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")")},
       {IpFamily::kV4},
       ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(join(balancer_addresses(c.nodes, c.families), " "), c.addresses);
  }
}

}  // namespace
}  // namespace proa::controllers
