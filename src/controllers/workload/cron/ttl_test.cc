#include "controllers/workload/cron/ttl.h"

#include <gtest/gtest.h>

#include "testkit/controllers/test_world.h"

namespace proa::controllers {
namespace {

using std::chrono::seconds;

class FinishedJobsTest : public testing::Test {
 protected:
  void create_job(const std::string& fields) {
    world_.create("batch", "jobs", "default",
                  R"({"metadata":{"name":"work"},"spec":{)" + fields +
                      R"("template":{"spec":{"restartPolicy":"Never",)"
                      R"("containers":[{"name":"c","image":"i"}]}}}})");
    world_.settle();
  }
  void finish() {
    const std::string now = format_time(world_.clock().now());
    world_.patch("batch", "jobs", "default", "work",
                 R"({"status":{"startTime":")" + now +
                     R"(","conditions":[)"
                     R"({"type":"FailureTarget","status":"True","lastTransitionTime":")" +
                     now + R"("},{"type":"Failed","status":"True","lastTransitionTime":")" + now +
                     "\"}]}}",
                 "status");
    world_.settle();
  }
  // In the foreground, it stays until its pods are gone.
  bool is_removed() {
    return world_.get("batch", "jobs", "default", "work")->metadata().being_deleted;
  }

  testkit::TestWorld world_{std::vector<ControllerEntry>{
      {"ttl-after-finished", "ttl-after-finished-controller", make_finished_job_cleaner}}};
};

TEST_F(FinishedJobsTest, GoAfterTheirTime) {
  create_job(R"("ttlSecondsAfterFinished":60,)");
  world_.pass(seconds(100));
  EXPECT_FALSE(is_removed());
  finish();
  world_.pass(seconds(30));
  world_.restart();
  world_.pass(seconds(29));
  EXPECT_FALSE(is_removed());
  world_.pass(seconds(1));
  EXPECT_TRUE(is_removed());
  const auto job = world_.get("batch", "jobs", "default", "work");
  EXPECT_NE(job->json().find("foregroundDeletion"), std::string_view::npos);
}

TEST_F(FinishedJobsTest, GoAtOnce) {
  create_job(R"("ttlSecondsAfterFinished":0,)");
  finish();
  EXPECT_TRUE(is_removed());
}

TEST_F(FinishedJobsTest, StayWithoutATime) {
  create_job("");
  finish();
  world_.pass(std::chrono::hours(1000));
  EXPECT_FALSE(is_removed());
}

TEST_F(FinishedJobsTest, CanBeGivenMoreTime) {
  create_job(R"("ttlSecondsAfterFinished":60,)");
  finish();
  world_.pass(seconds(59));
  world_.patch("batch", "jobs", "default", "work", R"({"spec":{"ttlSecondsAfterFinished":120}})");
  world_.pass(seconds(60));
  EXPECT_FALSE(is_removed());
  world_.pass(seconds(1));
  EXPECT_TRUE(is_removed());
}

}  // namespace
}  // namespace proa::controllers
