#include "netlink/nft/print.h"

#include <gtest/gtest.h>

namespace proa::netlink::nft {
namespace {

TEST(NftPrint, NamesPrioritiesAsNftDoes) {
  const auto priority = [](Hook::Point point, int number) {
    return print_priority({Hook::Type::kFilter, point, number});
  };
  EXPECT_EQ(priority(Hook::Point::kPrerouting, -110), "dstnat - 10");
  EXPECT_EQ(priority(Hook::Point::kPrerouting, -111), "-111");
  EXPECT_EQ(priority(Hook::Point::kOutput, -110), "-110");
  EXPECT_EQ(priority(Hook::Point::kInput, 0), "filter");
  EXPECT_EQ(priority(Hook::Point::kPostrouting, 101), "srcnat + 1");
}

TEST(NftPrint, PrintsTimesInUnits) {
  const auto printed = [](uint32_t seconds) {
    return print(Family::kIp,
                 Rule{Remember{Key{{Field::kSource}}, "m", seconds, Key{{Field::kDestination}}}});
  };
  EXPECT_EQ(printed(86400 + 3600 + 61), "update @m { ip saddr timeout 1d1h1m1s : ip daddr }");
  EXPECT_EQ(printed(10800), "update @m { ip saddr timeout 3h : ip daddr }");
}

TEST(NftPrint, PrintsClassesInTwoParts) {
  const Set set{"s", {Type::kClass}};
  const auto printed = [&](uint32_t number) {
    return print(Family::kIp, set, Element{KeyWriter().number(number).take()});
  };
  EXPECT_EQ(printed(0), "none");
  EXPECT_EQ(printed(2), "0:2");
  EXPECT_EQ(printed(0x40010012), "4001:12");
}

TEST(NftPrint, ShowsBytesOfTheWrongLength) {
  EXPECT_EQ(print(Family::kIp, Set{"s", {Type::kAddress, Type::kPort}}, Element{"abcd"}),
            "97.98.99.100 (too short)");
}

}  // namespace
}  // namespace proa::netlink::nft
