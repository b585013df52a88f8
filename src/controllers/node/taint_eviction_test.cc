#include "controllers/node/taint_eviction.h"
#include "json/parse.h"

#include <gtest/gtest.h>

#include "testkit/controllers/test_nodes.h"

namespace proa::controllers::nodes {
namespace {

using std::chrono::seconds;

constexpr const char* kForAMinute =
    R"({"key":"example.com/out","operator":"Exists","effect":"NoExecute","tolerationSeconds":60})";
constexpr const char* kForever = R"({"key":"example.com/out","operator":"Exists"})";

class TaintEvictionTest : public testing::Test {
 protected:
  void SetUp() override { nodes_.add_ready("n"); }

  void taint(const char* effect) {
    world_.patch("", "nodes", "", "n",
                 std::string(R"({"spec":{"taints":[{"key":"example.com/out","effect":")") + effect +
                     R"("}]}})");
  }
  void untaint() { world_.patch("", "nodes", "", "n", R"({"spec":{"taints":null}})"); }
  // On a node, pods go when their kubelet has ended them; here, when they were asked to.
  bool is_evicted(const std::string& pod) {
    const api::ObjectPtr found = nodes_.pod(pod);
    return found == nullptr || found->metadata().being_deleted;
  }

  testkit::TestWorld world_{std::vector<ControllerEntry>{
      {"taint-eviction-controller", "node-controller", make_taint_eviction_controller}}};
  testkit::TestNodes nodes_{world_};
};

TEST_F(TaintEvictionTest, WhoDoesNotTolerateTheTaintGoesAtOnce) {
  nodes_.add_pod("web", "n");
  nodes_.add_pod("tough", "n", kForever);
  world_.settle();
  EXPECT_FALSE(is_evicted("web"));
  taint("NoExecute");
  world_.settle();
  EXPECT_TRUE(is_evicted("web"));
  EXPECT_EQ(testkit::condition_text(nodes_.pod("web"), "DisruptionTarget"),
            "True DeletionByTaintManager: Taint manager: deleting due to NoExecute taint");
  EXPECT_EQ(nodes_.events("web"),
            "Normal TaintManagerEviction: Marking for deletion Pod default/web\n");
  world_.pass(std::chrono::hours(1));
  EXPECT_FALSE(is_evicted("tough"));
  EXPECT_EQ(nodes_.events("tough"), "");
}

TEST_F(TaintEvictionTest, OtherEffectsDriveNobodyAway) {
  nodes_.add_pod("web", "n");
  taint("NoSchedule");
  world_.settle();
  EXPECT_FALSE(is_evicted("web"));
}

TEST_F(TaintEvictionTest, WhoComesToATaintedNodeGoes) {
  taint("NoExecute");
  world_.settle();
  nodes_.add_pod("web", "n");
  world_.settle();
  EXPECT_TRUE(is_evicted("web"));
}

TEST_F(TaintEvictionTest, WhoToleratesItForAWhileGoesAfterThat) {
  nodes_.add_pod("web", "n", kForAMinute);
  taint("NoExecute");
  world_.pass(seconds(59));
  EXPECT_FALSE(is_evicted("web"));
  world_.pass(seconds(1));
  EXPECT_TRUE(is_evicted("web"));
  EXPECT_EQ(nodes_.events("web"),
            "Normal TaintManagerEviction: Marking for deletion Pod default/web\n");
}

TEST_F(TaintEvictionTest, NoTaintNoEviction) {
  nodes_.add_pod("web", "n", kForAMinute);
  taint("NoExecute");
  world_.pass(seconds(30));
  untaint();
  world_.pass(seconds(60));
  EXPECT_FALSE(is_evicted("web"));
  EXPECT_EQ(nodes_.events("web"),
            "Normal TaintManagerEviction: Cancelling deletion of Pod default/web\n");
  // The next time it counts from the beginning.
  taint("NoExecute");
  world_.pass(seconds(59));
  EXPECT_FALSE(is_evicted("web"));
  world_.pass(seconds(1));
  EXPECT_TRUE(is_evicted("web"));
}

TEST_F(TaintEvictionTest, AnotherLeaderCountsFromTheBeginning) {
  nodes_.add_pod("web", "n", kForAMinute);
  taint("NoExecute");
  world_.pass(seconds(30));
  world_.restart();
  world_.pass(seconds(59));
  EXPECT_FALSE(is_evicted("web"));
  world_.pass(seconds(1));
  EXPECT_TRUE(is_evicted("web"));
}

TEST_F(TaintEvictionTest, WhoLearnsToTolerateStays) {
  nodes_.add_pod("web", "n", kForAMinute);
  taint("NoExecute");
  world_.pass(seconds(30));
  const std::string more =
      R"([{"op":"add","path":"/spec/tolerations/0","value":{"operator":"Exists"}}])";
  ASSERT_TRUE(world_.client()
                  .patch(world_.place("", "pods", "default", "web"), api::PatchType::kJson,
                         json::parse_literal(more), {}, {})
                  .ok());
  world_.pass(seconds(60));
  EXPECT_FALSE(is_evicted("web"));
}

TEST_F(TaintEvictionTest, APodThatGoesByItselfIsForgotten) {
  nodes_.add_pod("web", "n", kForAMinute);
  taint("NoExecute");
  world_.settle();
  ASSERT_TRUE(world_.client()
                  .remove(world_.place("", "pods", "default", "web"), {.grace_seconds = 0}, {})
                  .ok());
  nodes_.add_pod("web", "n", kForAMinute);
  world_.pass(seconds(59));
  EXPECT_FALSE(is_evicted("web"));
  world_.pass(seconds(1));
  EXPECT_TRUE(is_evicted("web"));
}

TEST_F(TaintEvictionTest, NothingIsWrittenTwice) {
  nodes_.add_pod("web", "n");
  taint("NoExecute");
  world_.settle();
  const std::string before(nodes_.pod("web")->metadata().resource_version);
  world_.restart();
  world_.settle();
  EXPECT_EQ(nodes_.pod("web")->metadata().resource_version, before);
  EXPECT_EQ(world_.list("", "events", "default").size(), 1U);
}

}  // namespace
}  // namespace proa::controllers::nodes
