#include "controllers/node/cidr_set.h"

#include <gtest/gtest.h>

#include <set>

namespace proa::controllers::nodes {
namespace {

CidrSet cut(const char* network, unsigned bits) {
  return CidrSet(parse_prefix(network).value(), bits);
}

TEST(CidrSet, AreGivenOutInOrderAndOnce) {
  CidrSet networks = cut("10.244.0.0/22", 24);
  EXPECT_EQ(networks.take(), "10.244.0.0/24");
  EXPECT_EQ(networks.take(), "10.244.1.0/24");
  EXPECT_EQ(networks.take(), "10.244.2.0/24");
  EXPECT_EQ(networks.take(), "10.244.3.0/24");
  EXPECT_EQ(networks.take(), std::nullopt);
  networks.give_back("10.244.1.0/24");
  EXPECT_EQ(networks.take(), "10.244.1.0/24");
  EXPECT_EQ(networks.take(), std::nullopt);
}

TEST(CidrSet, ComeBackLast) {
  CidrSet networks = cut("10.244.0.0/22", 24);
  EXPECT_EQ(networks.take(), "10.244.0.0/24");
  networks.give_back("10.244.0.0/24");
  EXPECT_EQ(networks.take(), "10.244.1.0/24");
  EXPECT_EQ(networks.take(), "10.244.2.0/24");
  EXPECT_EQ(networks.take(), "10.244.3.0/24");
  EXPECT_EQ(networks.take(), "10.244.0.0/24");
}

TEST(CidrSet, AreAllDifferent) {
  CidrSet networks = cut("172.16.0.0/12", 26);
  std::set<std::string> seen;
  while (const auto piece = networks.take()) EXPECT_TRUE(seen.insert(*piece).second) << *piece;
  EXPECT_EQ(seen.size(), size_t{1} << 14);
  EXPECT_TRUE(seen.contains("172.31.255.192/26"));
}

TEST(CidrSet, WhatSomebodyHasIsNotGivenOut) {
  struct Case {
    const char* name;
    const char* occupied;
    bool ours;
    const char* next;
  };
  constexpr Case kCases[] = {
      {"a piece", "10.244.0.0/24", true, "10.244.1.0/24"},
      {"a larger one", "10.244.0.0/23", true, "10.244.2.0/24"},
      {"a smaller one", "10.244.0.128/25", true, "10.244.1.0/24"},
      {"everything", "10.0.0.0/8", true, ""},
      {"somewhere else", "10.245.0.0/24", false, "10.244.0.0/24"},
      {"the other family", "fd00::/64", false, "10.244.0.0/24"},
      {"nonsense", "10.244.0.0", false, "10.244.0.0/24"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    CidrSet networks = cut("10.244.0.0/22", 24);
    EXPECT_EQ(networks.occupy(c.occupied), c.ours);
    EXPECT_EQ(networks.take().value_or(""), c.next);
  }
}

TEST(CidrSet, OfIpV6) {
  CidrSet networks = cut("fd00:10:244::/48", 64);
  EXPECT_EQ(networks.size(), size_t{1} << 16);
  EXPECT_EQ(networks.take(), "fd00:10:244::/64");
  EXPECT_EQ(networks.take(), "fd00:10:244:1::/64");
  EXPECT_TRUE(networks.occupy("fd00:10:244:2::/64"));
  EXPECT_EQ(networks.take(), "fd00:10:244:3::/64");
  EXPECT_EQ(cut("fd00::/8", 64).size(), size_t{1} << 20) << "as many as anybody needs";
}

TEST(CidrSet, LeaveServicesAlone) {
  CidrSet networks = cut("10.0.0.0/14", 16);
  networks.exclude(parse_prefix("10.0.0.0/15").value());
  networks.exclude(parse_prefix("192.168.0.0/16").value());
  EXPECT_EQ(networks.take(), "10.2.0.0/16");
  EXPECT_EQ(networks.take(), "10.3.0.0/16");
  EXPECT_EQ(networks.take(), std::nullopt);
}

TEST(ParsePodNetworks, KnowsBothFamilies) {
  auto both = parse_cidr_sets("10.244.0.0/16,fd00:10:244::/48", 24);
  ASSERT_TRUE(both);
  ASSERT_EQ(both->size(), 2U);
  EXPECT_EQ((*both)[0].take(), "10.244.0.0/24");
  EXPECT_EQ((*both)[1].take(), "fd00:10:244::/64");
  EXPECT_FALSE(parse_cidr_sets("10.244.0.0", 24));
  EXPECT_FALSE(parse_cidr_sets("10.244.0.0/25", 24)) << "smaller than a piece";
  EXPECT_FALSE(parse_cidr_sets("10.244.0.0/16,", 24));
}

}  // namespace
}  // namespace proa::controllers::nodes
