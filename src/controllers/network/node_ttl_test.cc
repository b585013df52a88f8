#include "controllers/network/node_ttl.h"

#include <gtest/gtest.h>

#include "testkit/controllers/network_world.h"

namespace proa::controllers {
namespace {

TEST(TtlStep, StaysBetweenTwoSteps) {
  struct Case {
    size_t before;
    size_t nodes;
    int seconds;
  };
  const Case cases[] = {
      {0, 0, 0},      {0, 100, 0},   {0, 101, 15}, {1, 95, 15},   {1, 89, 0},
      {0, 600, 30},   {2, 460, 30},  {2, 449, 15}, {0, 1500, 60}, {0, 5000, 300},
      {4, 1800, 300}, {4, 1799, 60}, {4, 3, 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.nodes);
    EXPECT_EQ(ttl_seconds(ttl_step(c.before, c.nodes)), c.seconds);
  }
}

class NodeTtlTest : public testing::Test {
 protected:
  NodeTtlTest()
      : network_({{"ttl", "ttl-controller", make_node_ttl_controller}}), world_(network_.world()) {}

  std::string ttl(std::string_view node) {
    const json::Document document = network_.document("", "nodes", "", node);
    return std::string(
        api::View(document.root())["metadata"]["annotations"]["node.alpha.kubernetes.io/ttl"].text(
            "none"));
  }

  NetworkWorld network_;
  testkit::TestWorld& world_;
};

TEST_F(NodeTtlTest, NodesAreToldForHowLong) {
  network_.add_node("first");
  world_.settle();
  EXPECT_EQ(ttl("first"), "0");
  world_.patch("", "nodes", "", "first",
               R"({"metadata":{"annotations":{"node.alpha.kubernetes.io/ttl":"long"}}})");
  world_.settle();
  EXPECT_EQ(ttl("first"), "0");
  EXPECT_EQ(world_.settle(), 0U);
  for (int i = 0; i < 100; ++i) network_.add_node(fmt::format("node-{}", i));
  world_.settle();
  EXPECT_EQ(ttl("first"), "15");
  EXPECT_EQ(ttl("node-99"), "15");
  const api::ObjectPtr before = world_.get("", "nodes", "", "first");
  world_.restart();
  world_.settle();
  EXPECT_EQ(world_.get("", "nodes", "", "first")->json(), before->json());
}

}  // namespace
}  // namespace proa::controllers
