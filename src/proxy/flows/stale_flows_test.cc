#include "proxy/flows/stale_flows.h"

#include <gtest/gtest.h>

#include "testkit/proxy/service_script.h"

namespace proa::proxy {
namespace {

constexpr const char* kServices =
    "{metadata: {name: dns, namespace: default}, spec: {type: NodePort, clusterIP: 10.0.0.10, "
    "externalIPs: [192.0.2.1], ports: [{name: dns, port: 53, protocol: UDP, nodePort: 30053}, "
    "{name: tcp, port: 53, protocol: TCP}]}}\n"
    "---\n"
    "{metadata: {name: dns-1}, addressType: IPv4, ports: [{name: dns, port: 5353, protocol: UDP}, "
    "{name: tcp, port: 5353, protocol: TCP}], endpoints: [{addresses: [10.1.0.1]}, {addresses: "
    "[10.1.0.2], conditions: {ready: false, serving: true, terminating: true}}]}\n"
    "---\n"
    "{metadata: {name: empty, namespace: default}, spec: {clusterIP: 10.0.0.11, ports: [{port: 53, "
    "protocol: UDP}]}}\n";

Flow flow(std::string_view destination, uint16_t port, std::string_view answerer,
          uint16_t answerer_port) {
  return {.destination = parse_ip(destination).value(),
          .destination_port = port,
          .answerer = parse_ip(answerer).value(),
          .answerer_port = answerer_port};
}

TEST(StaleFlows, AreThoseThatGoToNoServingEndpoint) {
  const StaleFlows stale(Family::kV4, testkit::ports_of(kServices, {}));
  EXPECT_FALSE(stale.empty());
  EXPECT_FALSE(stale.contains(flow("10.0.0.10", 53, "10.1.0.1", 5353)));
  // It terminates, but still serves.
  EXPECT_FALSE(stale.contains(flow("10.0.0.10", 53, "10.1.0.2", 5353)));
  EXPECT_TRUE(stale.contains(flow("10.0.0.10", 53, "10.1.0.3", 5353)));
  EXPECT_TRUE(stale.contains(flow("10.0.0.10", 53, "10.1.0.1", 53)));
  // It began before the Service had endpoints: not translated.
  EXPECT_TRUE(stale.contains(flow("10.0.0.10", 53, "10.0.0.10", 53)));
  EXPECT_TRUE(stale.contains(flow("192.0.2.1", 53, "10.1.0.3", 5353)));
  EXPECT_TRUE(stale.contains(flow("203.0.113.9", 30053, "10.1.0.3", 5353)));
}

TEST(StaleFlows, AreNotThoseOfOthers) {
  const StaleFlows stale(Family::kV4, testkit::ports_of(kServices, {}));
  EXPECT_FALSE(stale.contains(flow("10.0.0.99", 53, "10.1.0.3", 5353)));
  EXPECT_FALSE(stale.contains(flow("10.0.0.11", 53, "10.1.0.3", 5353)));
  EXPECT_TRUE(StaleFlows(Family::kV6, testkit::ports_of(kServices, {})).empty());
}

}  // namespace
}  // namespace proa::proxy
