#include "controllers/workload/stateful/ordinals.h"

#include <gtest/gtest.h>

namespace proa::controllers {
namespace {

TEST(StatefulOrdinal, IsReadFromNamesThatTheSetWouldMake) {
  EXPECT_EQ(stateful_ordinal("web", "web-0"), 0);
  EXPECT_EQ(stateful_ordinal("web", "web-12"), 12);
  EXPECT_EQ(stateful_ordinal("web-1", "web-1-2"), 2);
  for (const char* other :
       {"web", "web-", "web-x", "web-01", "web--1", "web-1-2", "webb-1", "web-99999999999"}) {
    EXPECT_EQ(stateful_ordinal("web", other), std::nullopt) << other;
  }
}

TEST(SetsOfClaim, AreAllThatTheNameAllows) {
  EXPECT_EQ(sets_of_claim("data-web-0"), std::vector<std::string>{"web"});
  EXPECT_EQ(sets_of_claim("my-data-web-0"), (std::vector<std::string>{"data-web", "web"}));
  EXPECT_TRUE(sets_of_claim("data-web").empty());
  EXPECT_TRUE(sets_of_claim("data-0").empty());
  EXPECT_TRUE(sets_of_claim("data").empty());
}

}  // namespace
}  // namespace proa::controllers
