#include "kubelet/node/agent/node_addresses.h"

#include <gtest/gtest.h>

namespace proa::kubelet {

TEST(DefaultInterface, IsThatOfTheRouteToAnywhere) {
  const std::string routes =
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\n"
      "eth1\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\n"
      "eth0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\n";
  EXPECT_EQ(default_interface(routes), "eth0");
  EXPECT_EQ(default_interface("Iface\tDestination\n"), "");
  EXPECT_EQ(default_interface(""), "");
}

}  // namespace proa::kubelet
