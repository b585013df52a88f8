#include "controllers/network/dns_service.h"

#include <gtest/gtest.h>

#include "controllers/network/endpoints.h"
#include "controllers/network/slices/mirroring.h"
#include "testkit/controllers/network_world.h"

namespace proa::controllers {
namespace {

using Texts = std::vector<std::string>;

TEST(DnsAddresses, AreTheTenthOfEachRange) {
  EXPECT_EQ(dns_addresses("10.96.0.0/16"), Texts{"10.96.0.10"});
  EXPECT_EQ(dns_addresses("10.0.0.16/28, fd00::/108"), (Texts{"10.0.0.26", "fd00::a"}));
  EXPECT_EQ(dns_addresses("10.0.0.0/29"), Texts{});
}

class DnsServiceTest : public testing::Test {
 protected:
  static std::unique_ptr<NetworkWorld> world(bool dns) {
    ControllerOptions options;
    options.dns = dns;
    return std::make_unique<NetworkWorld>(
        std::vector<ControllerEntry>{
            {"dns-service", "dns-service-controller", make_dns_service_controller}},
        options);
  }
  static std::string endpoints(NetworkWorld& network) {
    std::string text;
    const json::Document document =
        network.document("discovery.k8s.io", "endpointslices", "kube-system", "kube-dns-ipv4-0");
    for (const api::View endpoint : api::View(document.root())["endpoints"].items()) {
      text += std::string(endpoint["nodeName"].text()) + "=" +
              std::string(endpoint["addresses"].item(0).text()) + " ";
    }
    return text;
  }
};

TEST_F(DnsServiceTest, KeepsServiceAndSlices) {
  const auto network = world(true);
  network->add_node("node-2", "", "192.0.2.2");
  network->add_node("node-1", "", "192.0.2.1");
  network->world().settle();
  const json::Document service = network->document("", "services", "kube-system", "kube-dns");
  EXPECT_EQ(api::View(service.root()).at("spec.clusterIP").text(), "10.96.0.10");
  EXPECT_EQ(api::View(service.root())["spec"]["ports"].size(), 3U);
  EXPECT_EQ(endpoints(*network), "node-1=192.0.2.1 node-2=192.0.2.2 ");
  network->set_node("node-1", false, "192.0.2.1");
  network->world().settle();
  EXPECT_EQ(endpoints(*network), "node-2=192.0.2.2 ");
  EXPECT_EQ(network->world().settle(), 0U);
  // What somebody deletes comes back.
  network->world().remove("", "services", "kube-system", "kube-dns");
  network->world().settle();
  EXPECT_NE(network->world().get("", "services", "kube-system", "kube-dns"), nullptr);
}

// With the controllers that others have for both kinds, which leave them alone.
class DnsEndpointsTest : public testing::Test {
 protected:
  DnsEndpointsTest() {
    ControllerOptions options;
    options.dns = true;
    network_ = std::make_unique<NetworkWorld>(
        std::vector<ControllerEntry>{
            {"dns-service", "dns-service-controller", make_dns_service_controller},
            {"endpoints", "endpoint-controller", make_endpoints_controller},
            {"mirroring", "endpointslicemirroring-controller",
             make_endpoint_slice_mirroring_controller}},
        options);
  }
  // "node-1=192.0.2.1 ports 3"
  std::string endpoints() {
    std::string text;
    const json::Document document = network_->document("", "endpoints", "kube-system", "kube-dns");
    for (const api::View subset : api::View(document.root())["subsets"].items()) {
      for (const api::View address : subset["addresses"].items()) {
        text +=
            std::string(address["nodeName"].text()) + "=" + std::string(address["ip"].text()) + " ";
      }
      text += "ports " + std::to_string(subset["ports"].size());
    }
    return text;
  }

  std::unique_ptr<NetworkWorld> network_;
};

TEST_F(DnsEndpointsTest, AreTheReadyNodesAndNotMirrored) {
  network_->add_node("node-2", "", "192.0.2.2");
  network_->add_node("node-1", "", "192.0.2.1");
  network_->world().settle();
  EXPECT_EQ(endpoints(), "node-1=192.0.2.1 node-2=192.0.2.2 ports 3");
  EXPECT_EQ(network_->world().list("discovery.k8s.io", "endpointslices", "kube-system").size(), 1U);
  EXPECT_EQ(network_->world().settle(), 0U);
  network_->set_node("node-1", false, "192.0.2.1");
  network_->world().settle();
  EXPECT_EQ(endpoints(), "node-2=192.0.2.2 ports 3");
  network_->world().remove("", "endpoints", "kube-system", "kube-dns");
  network_->world().settle();
  EXPECT_EQ(endpoints(), "node-2=192.0.2.2 ports 3");
  network_->set_node("node-2", false, "192.0.2.2");
  network_->world().settle();
  EXPECT_EQ(endpoints(), "");
  EXPECT_NE(network_->world().get("", "endpoints", "kube-system", "kube-dns"), nullptr);
  EXPECT_EQ(network_->world().settle(), 0U);
}

TEST_F(DnsEndpointsTest, OfOthersAreLeftAlone) {
  network_->world().create(
      "", "services", "kube-system",
      R"({"metadata":{"name":"kube-dns","labels":{"service.kubernetes.io/service-proxy-name":)"
      R"("proa-dns"}},"spec":{"clusterIP":"10.96.0.10","selector":{"a":"b"},)"
      R"("ports":[{"port":53,"protocol":"UDP"}]}})");
  network_->add_node("node-1", "", "192.0.2.1");
  network_->world().settle();
  const api::ObjectPtr made = network_->world().get("", "endpoints", "kube-system", "kube-dns");
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(*made->metadata().label("endpoints.kubernetes.io/managed-by"), "endpoint-controller");
  EXPECT_EQ(endpoints(), "");
  EXPECT_EQ(network_->world().settle(), 0U);
}

constexpr std::string_view kForeign =
    R"({"metadata":{"name":"kube-dns"},"spec":{"clusterIP":"10.96.0.10","selector":{"a":"b"},)"
    R"("ports":[{"port":53,"protocol":"UDP"}]}})";

TEST_F(DnsServiceTest, LeavesTheUsersAlone) {
  for (const bool dns : {true, false}) {
    const auto network = world(dns);
    network->world().create("", "services", "kube-system", std::string(kForeign));
    const api::ObjectPtr before = network->world().get("", "services", "kube-system", "kube-dns");
    network->add_node("node-1");
    network->world().settle();
    EXPECT_EQ(network->world().get("", "services", "kube-system", "kube-dns")->json(),
              before->json());
    EXPECT_EQ(network->world().get("discovery.k8s.io", "endpointslices", "kube-system",
                                   "kube-dns-ipv4-0"),
              nullptr);
  }
}

// Whoever gives it a selector has the EndpointSlice controller make slices, again and again if they
// were removed.
TEST_F(DnsServiceTest, LeavesSlicesOfOthersAlone) {
  const auto network = world(true);
  network->add_node("node-1", "", "192.0.2.1");
  network->world().create(
      "discovery.k8s.io", "endpointslices", "kube-system",
      R"({"metadata":{"name":"kube-dns-abcde","labels":{"kubernetes.io/service-name":"kube-dns",)"
      R"("endpointslice.kubernetes.io/managed-by":"endpointslice-controller.k8s.io"}},)"
      R"("addressType":"IPv4","endpoints":[{"addresses":["10.244.0.5"]}],"ports":[]})");
  network->world().settle();
  EXPECT_EQ(endpoints(*network), "node-1=192.0.2.1 ");
  EXPECT_NE(
      network->world().get("discovery.k8s.io", "endpointslices", "kube-system", "kube-dns-abcde"),
      nullptr);
}

TEST_F(DnsServiceTest, RemovesItsOwnWithoutDns) {
  const auto network = world(false);
  network->world().create(
      "", "services", "kube-system",
      R"({"metadata":{"name":"kube-dns","labels":{"service.kubernetes.io/service-proxy-name":)"
      R"("proa-dns"}},"spec":{"clusterIP":"10.96.0.10","ports":[{"port":53,"protocol":"UDP"}]}})");
  network->world().settle();
  EXPECT_EQ(network->world().get("", "services", "kube-system", "kube-dns"), nullptr);
}

}  // namespace
}  // namespace proa::controllers
