#include "cli/host/routes.h"

#include <gtest/gtest.h>

namespace proa::cli {
namespace {

std::vector<std::string> texts(const std::vector<Route>& routes) {
  std::vector<std::string> all;
  for (const Route& route : routes) all.push_back(route.network.str() + " " + route.link);
  return all;
}

// As kernels print them, on machines of little endian order.
TEST(ParseRoutes, TakesNetworksOfBothFamilies) {
  const char* v4 =
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
      "eth0\t00000000\t0100640A\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
      "eth0\t0000640A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n"
      "tun0\t0100000A\t00000000\t0005\t0\t0\t0\tFFFFFFFF\t0\t0\t0\n";
  const char* v6 =
      "fd001234000000000000000000000000 40 00000000000000000000000000000000 00 "
      "00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0\n"
      "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
      "fd001234000000000000000000000001 00000400 00000001 00000000 00000003     eth0\n"
      "00000000000000000000000000000001 80 00000000000000000000000000000000 00 "
      "00000000000000000000000000000000 00000000 00000002 00000000 80200001       lo\n";
  EXPECT_EQ(
      texts(parse_routes(v4, v6)),
      (std::vector<std::string>{"10.100.0.0/16 eth0", "10.0.0.1/32 tun0", "fd00:1234::/64 eth0"}));
}

TEST(ParseRoutes, LeavesOutWhatItCannotRead) {
  EXPECT_TRUE(parse_routes("", "").empty());
  EXPECT_TRUE(parse_routes("eth0\tx\t0\t0\t0\t0\t0\tFFFFFFFF\n\neth0\n", "fd 40 eth0\n").empty());
}

}  // namespace
}  // namespace proa::cli
