#include "lab/machine/node_states.h"

#include <gtest/gtest.h>

namespace proa::lab {
namespace {

TEST(NodeStates, SayWhichNodesAreReadyAndWhyOthersAreNot) {
  const NodeStates states = node_states(
      R"({"nodes":[{"name":"node-1","ready":false,"message":"pods have no network: why"},)"
      R"({"name":"node-2","ready":true}],"pods":{}})");
  ASSERT_EQ(states.size(), 2U);
  EXPECT_FALSE(states.at("node-1").ready);
  EXPECT_EQ(states.at("node-1").why_not, "pods have no network: why");
  EXPECT_TRUE(states.at("node-2").ready);
  EXPECT_EQ(states.at("node-2").why_not, "");
}

TEST(NodeStates, AreNoneInAnotherText) {
  for (const char* text : {"", "no server answers", "{}", R"({"nodes":[{"ready":true}]})"}) {
    EXPECT_TRUE(node_states(text).empty()) << text;
  }
}

}  // namespace
}  // namespace proa::lab
