#include "proxy/iptables/chains.h"

#include <gtest/gtest.h>

namespace proa::proxy::iptables {
namespace {

const ServicePortName kName{
    .name_space = "ns1", .service = "svc1", .port = "p80", .protocol = Protocol::kTcp};

// Names that upstream's kube-proxy gives.
TEST(Chains, HaveTheNamesThatOthersKnow) {
  EXPECT_EQ(chain_of(PortChain::kCluster, kName), "KUBE-SVC-XPGD46QRK7WJZT7O");
  EXPECT_EQ(chain_of(PortChain::kExternal, kName), "KUBE-EXT-XPGD46QRK7WJZT7O");
  EXPECT_EQ(chain_of({.address = parse_ip("10.180.0.1").value(), .port = 80}, kName),
            "KUBE-SEP-SXIVWICOYRO3J4NJ");
}

TEST(Chains, OfPortsAreRecognised) {
  for (const char* name : {"KUBE-SVC-A", "KUBE-SVL-A", "KUBE-EXT-A", "KUBE-FW-A", "KUBE-SEP-A"}) {
    EXPECT_TRUE(is_port_chain(name)) << name;
  }
  for (const char* name : {"KUBE-SERVICES", "KUBE-FORWARD", "OTHER", "KUBE-FIREWALL"}) {
    EXPECT_FALSE(is_port_chain(name)) << name;
  }
}

}  // namespace
}  // namespace proa::proxy::iptables
