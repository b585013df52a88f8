#include "apiserver/access/authn/authenticator.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

TEST(JoinAuthenticated, LeavesThoseAloneWhoSayWhatTheyAre) {
  using Groups = std::vector<std::string>;
  struct Case {
    std::string name;
    Groups groups;
    Groups expected;
  };
  const Case cases[] = {
      {"user", {}, {"system:authenticated"}},
      {"user", {"a"}, {"a", "system:authenticated"}},
      {"user", {"system:authenticated", "a"}, {"system:authenticated", "a"}},
      {"user", {"system:unauthenticated"}, {"system:unauthenticated"}},
      {"system:anonymous", {}, {}},
      {"system:anonymous", {"a"}, {"a"}},
  };
  for (const Case& c : cases) {
    User user{.name = c.name, .uid = {}, .groups = c.groups, .extra = {}};
    join_authenticated(user);
    EXPECT_EQ(user.groups, c.expected) << c.name;
  }
}

TEST(InBoth, KeepsTheOrderOfTheFirst) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(in_both(Names{"a", "b", "c"}, Names{"c", "x", "a"}), (Names{"a", "c"}));
  EXPECT_TRUE(in_both(Names{"a"}, {}).empty());
  EXPECT_TRUE(in_both({}, Names{"a"}).empty());
}

}  // namespace
}  // namespace proa::apiserver
