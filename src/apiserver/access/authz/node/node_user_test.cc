#include "apiserver/access/authz/node/node_user.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

TEST(NodeOf, NeedsTheNameAndTheGroup) {
  const auto node = [](const std::string& name, const std::vector<std::string>& groups) {
    const User user{.name = name, .uid = {}, .groups = groups, .extra = {}};
    const auto found = node_of(user);
    return found ? std::string(*found) : std::string("-");
  };
  EXPECT_EQ(node("system:node:n1", {"system:nodes"}), "n1");
  EXPECT_EQ(node("system:node:n1", {"system:authenticated", "system:nodes"}), "n1");
  EXPECT_EQ(node("system:node:a.b:c", {"system:nodes"}), "a.b:c");
  EXPECT_EQ(node("system:node:", {"system:nodes"}), "");
  EXPECT_EQ(node("system:node:n1", {}), "-");
  EXPECT_EQ(node("system:node:n1", {"system:nodes2", "System:nodes"}), "-");
  EXPECT_EQ(node("system:node", {"system:nodes"}), "-");
  EXPECT_EQ(node("System:node:n1", {"system:nodes"}), "-");
  EXPECT_EQ(node("x:system:node:n1", {"system:nodes"}), "-");
  EXPECT_EQ(node("", {"system:nodes"}), "-");
}

}  // namespace
}  // namespace proa::apiserver
