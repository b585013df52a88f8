#include "proxy/model/service_port.h"

#include <gtest/gtest.h>

namespace proa::proxy {
namespace {

Endpoint endpoint(std::string_view address, uint16_t port, bool local = false) {
  return {.address = parse_ip(address).value(), .port = port, .local = local};
}

TEST(ServicePort, PrintsNamesAsUpstreamDoes) {
  EXPECT_EQ((ServicePortName{.name_space = "a", .service = "b", .port = "", .protocol = {}}.str()),
            "a/b");
  EXPECT_EQ((ServicePortName{.name_space = "a", .service = "b", .port = "c", .protocol = {}}.str()),
            "a/b:c");
  EXPECT_EQ(endpoint("10.0.0.1", 80).str(), "10.0.0.1:80");
  EXPECT_EQ(endpoint("fd00::1", 80).str(), "[fd00::1]:80");
}

TEST(ServicePort, ParsesWhatItPrints) {
  for (const Protocol protocol : {Protocol::kTcp, Protocol::kUdp, Protocol::kSctp}) {
    EXPECT_EQ(parse_protocol(name_of(protocol)), protocol);
  }
  EXPECT_EQ(parse_protocol("tcp"), std::nullopt);
}

TEST(ServicePort, UsesClusterEndpointsForExternalTrafficOfPodsEvenIfBothPoliciesAreLocal) {
  ServicePort port;
  port.internal_local = port.external_local = true;
  EXPECT_FALSE(port.uses_cluster_endpoints());
  EXPECT_TRUE(port.uses_local_endpoints());
  port.node_port = 30000;
  EXPECT_TRUE(port.uses_cluster_endpoints());
  port.internal_local = port.external_local = false;
  EXPECT_FALSE(port.uses_local_endpoints());
}

TEST(ServicePort, ReachesEndpointsOfBothLists) {
  ServicePort port;
  port.cluster_endpoints = {endpoint("10.0.0.1", 80), endpoint("10.0.0.2", 80, true)};
  port.local_endpoints = {endpoint("10.0.0.2", 80, true), endpoint("10.0.0.3", 80, true)};
  const std::vector<Endpoint> all = {endpoint("10.0.0.1", 80), endpoint("10.0.0.2", 80, true),
                                     endpoint("10.0.0.3", 80, true)};
  EXPECT_EQ(port.reachable_endpoints(), all);
}

}  // namespace
}  // namespace proa::proxy
