#include "netlink/nft/set_types.h"

#include <gtest/gtest.h>

namespace proa::netlink::nft {
namespace {

TEST(SetTypes, AreNumberedAsByNft) {
  const std::vector<Type> types = {Type::kAddress, Type::kProtocol, Type::kPort, Type::kMark,
                                   Type::kClass};
  EXPECT_EQ(type_number(Family::kIp, {Type::kAddress}), 7U);
  EXPECT_EQ(type_number(Family::kIp, types), (((7U * 64 + 12) * 64 + 13) * 64 + 19) * 64 + 23);
  for (const Family family : {Family::kIp, Family::kIp6}) {
    EXPECT_EQ(types_of_number(family, type_number(family, types)), types);
  }
  EXPECT_NE(types_of_number(Family::kIp, type_number(Family::kIp6, types)), types);
  EXPECT_FALSE(types_of_number(Family::kIp, 63).has_value());
}

TEST(SetTypes, OfBridgesHaveBothFamilies) {
  const std::vector<Type> types = {Type::kLink, Type::kMac, Type::kAddress, Type::kAddress6};
  EXPECT_EQ(type_number(Family::kBridge, types), ((41U * 64 + 9) * 64 + 7) * 64 + 8);
  EXPECT_EQ(types_of_number(Family::kBridge, type_number(Family::kBridge, types)), types);
  EXPECT_EQ(length_of(Family::kBridge, types), 16U + 8 + 4 + 16);
}

}  // namespace
}  // namespace proa::netlink::nft
