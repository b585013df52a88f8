#include "scheduler/model/domains.h"

#include <gtest/gtest.h>

namespace proa::scheduler {
namespace {

void set(Domains& domains, NodeIndex node, std::string_view value) { domains.set(node, &value); }

TEST(Domains, NumberTheValuesOfALabel) {
  Domains zones("zone");
  set(zones, 0, "a");
  set(zones, 2, "b");
  set(zones, 3, "a");
  EXPECT_EQ(zones.key(), "zone");
  EXPECT_EQ(zones.size(), 2u);
  EXPECT_EQ(zones.of(0), zones.of(3));
  EXPECT_NE(zones.of(0), zones.of(2));
  EXPECT_EQ(zones.of(1), kNoDomain);
  EXPECT_EQ(zones.of(99), kNoDomain);
  EXPECT_EQ(zones.value(zones.of(2)), "b");
  EXPECT_EQ(zones.nodes_in(zones.of(0)), 2u);
}

TEST(Domains, FollowNodesThatMoveOrGo) {
  Domains zones("zone");
  set(zones, 0, "a");
  set(zones, 1, "a");
  const DomainIndex a = zones.of(0);
  set(zones, 0, "b");
  EXPECT_EQ(zones.nodes_in(a), 1u);
  EXPECT_EQ(zones.nodes_in(zones.of(0)), 1u);
  zones.set(1, nullptr);
  EXPECT_EQ(zones.of(1), kNoDomain);
  EXPECT_EQ(zones.nodes_in(a), 0u);
  set(zones, 1, "a");
  EXPECT_EQ(zones.of(1), a) << "a value keeps its number";
  set(zones, 1, "a");
  EXPECT_EQ(zones.nodes_in(a), 1u);
}

TEST(Domains, AnEmptyValueIsAValue) {
  Domains zones("zone");
  set(zones, 0, "");
  EXPECT_NE(zones.of(0), kNoDomain);
}

}  // namespace
}  // namespace proa::scheduler
