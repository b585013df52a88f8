#include "controllers/lifecycle/garbage/absent_owners.h"

#include <gtest/gtest.h>

namespace proa::controllers {
namespace {

OwnerIdentity owner(const std::string& name, const std::string& name_space = "default") {
  OwnerIdentity identity;
  identity.name_space = name_space;
  identity.name = name;
  identity.uid = name;
  return identity;
}

TEST(AbsentOwners, AreKnownByAllThatNamesThem) {
  AbsentOwners absent;
  absent.add(owner("a"), false);
  absent.add(owner("b"), true);
  EXPECT_EQ(absent.find(owner("a")), std::optional(false));
  EXPECT_EQ(absent.find(owner("b")), std::optional(true));
  EXPECT_EQ(absent.find(owner("a", "team")), std::nullopt);
  EXPECT_EQ(absent.find(owner("c")), std::nullopt);
}

TEST(AbsentOwners, ForgetTheOldest) {
  AbsentOwners absent(2);
  absent.add(owner("a"), false);
  absent.add(owner("a"), false);
  absent.add(owner("b"), false);
  EXPECT_TRUE(absent.find(owner("a")));
  absent.add(owner("c"), false);
  EXPECT_FALSE(absent.find(owner("a")));
  EXPECT_TRUE(absent.find(owner("b")));
  EXPECT_TRUE(absent.find(owner("c")));
}

}  // namespace
}  // namespace proa::controllers
