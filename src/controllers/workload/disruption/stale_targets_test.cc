#include "controllers/workload/disruption/stale_targets.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers::disruption {
namespace {

using std::chrono::seconds;

class StaleTargetsTest : public testing::Test {
 protected:
  void add_target(const std::string& reason, const std::string& phase = "Running") {
    world_.create("", "pods", "default",
                  R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":)"
                  R"([{"name":"c","image":"nginx"}]}})");
    world_.patch("", "pods", "default", "p",
                 R"({"status":{"phase":")" + phase +
                     R"(","conditions":[{"type":"DisruptionTarget","status":"True","reason":")" +
                     reason + R"(","message":"soon","lastTransitionTime":")" +
                     format_time(world_.clock().now()) + R"("}]}})",
                 "status");
  }
  // "True reason since", without what is not there.
  std::string condition() {
    const json::Document document = world_.get("", "pods", "default", "p")->document().value();
    std::string text;
    for (const api::View one : api::View(document.root())["status"]["conditions"].items()) {
      text += std::string(one["status"].text());
      for (const char* field : {"reason", "message", "lastTransitionTime"}) {
        if (one[field].exists()) text += " " + std::string(one[field].text());
      }
    }
    return text;
  }

  testkit::TestWorld world_{std::vector<ControllerEntry>{
      {"disruption", "disruption-controller", make_stale_disruption_controller}}};
};

constexpr const char* kSince = " soon 2026-01-02T15:04:05Z";

TEST_F(StaleTargetsTest, AreClearedAfterTwoMinutes) {
  add_target("EvictionByEvictionAPI");
  world_.pass(seconds(60));
  world_.restart();
  world_.pass(seconds(59));
  EXPECT_EQ(condition(), std::string("True EvictionByEvictionAPI") + kSince);
  world_.pass(seconds(1));
  EXPECT_EQ(condition(), "False 2026-01-02T15:06:05Z");
  EXPECT_NE(world_.get("", "pods", "default", "p")->json().find(R"("observedGeneration":1)"),
            std::string_view::npos);
  const std::string before(world_.get("", "pods", "default", "p")->metadata().resource_version);
  world_.restart();
  world_.pass(seconds(300));
  EXPECT_EQ(world_.get("", "pods", "default", "p")->metadata().resource_version, before);
}

TEST_F(StaleTargetsTest, KeepTerminationsByTheKubelet) {
  add_target("TerminationByKubelet");
  world_.pass(seconds(300));
  EXPECT_EQ(condition(), std::string("True TerminationByKubelet") + kSince);
}

TEST_F(StaleTargetsTest, IgnoreFinishedPods) {
  add_target("PreemptionByScheduler", "Failed");
  world_.pass(seconds(300));
  EXPECT_EQ(condition(), std::string("True PreemptionByScheduler") + kSince);
}

TEST_F(StaleTargetsTest, IgnorePodsThatAreBeingDeleted) {
  add_target("DeletionByTaintManager");
  world_.remove("", "pods", "default", "p");
  world_.pass(seconds(300));
  EXPECT_EQ(condition(), std::string("True DeletionByTaintManager") + kSince);
}

}  // namespace
}  // namespace proa::controllers::disruption
