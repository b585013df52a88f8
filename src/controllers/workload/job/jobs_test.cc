#include "controllers/workload/job/jobs.h"

#include "api/object/view.h"
#include "testkit/controllers/job_world.h"

namespace proa::controllers::jobs {
namespace {

using std::chrono::seconds;

class JobsTest : public testkit::JobWorld {};

TEST_F(JobsTest, RunPodsUntilEnoughHaveSucceeded) {
  create_job(R"("completions":3,"parallelism":2,)");
  EXPECT_EQ(counts(), "active=2 ready=0 terminating=0 succeeded=0 failed=0");
  EXPECT_EQ(status("startTime"), "2026-01-02T15:04:05Z");
  ASSERT_EQ(pods().size(), 2U);
  const json::Document document = pods()[0]->document().value();
  const api::View metadata = api::View(document.root())["metadata"];
  EXPECT_TRUE(metadata["name"].text().starts_with("work-"));
  EXPECT_EQ(metadata["finalizers"].item(0).text(), "batch.kubernetes.io/job-tracking");
  EXPECT_EQ(metadata["labels"]["batch.kubernetes.io/job-name"].text(), "work");
  EXPECT_EQ(metadata["ownerReferences"].item(0)["uid"].text(), job()->metadata().uid);
  EXPECT_EQ(events("Normal SuccessfulCreate: Created pod: " + active()[0]), 1);

  end_all(0);
  EXPECT_EQ(counts(), "active=1 ready=0 terminating=0 succeeded=2 failed=0");
  EXPECT_EQ(condition("Complete"), "");
  expect_at_rest();
  world_.clock().advance(seconds(5));
  end_all(0);
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=3 failed=0");
  expect_complete();
  EXPECT_EQ(condition("SuccessCriteriaMet"),
            "True CompletionsReached: Reached expected number of succeeded pods");
  EXPECT_EQ(status("completionTime"), "2026-01-02T15:04:10Z");
  EXPECT_EQ(status("ready"), "0");
  EXPECT_EQ(status("active"), "-");
  EXPECT_EQ(events("Normal Completed: Job completed"), 1);
  expect_at_rest();
}

TEST_F(JobsTest, ReportReadyPods) {
  create_job(R"("parallelism":2,)");
  set_pod(active()[0], "Running", R"("conditions":[{"type":"Ready","status":"True"}],)");
  world_.settle();
  EXPECT_EQ(counts(), "active=2 ready=1 terminating=0 succeeded=0 failed=0");
}

TEST_F(JobsTest, WithoutCompletionsOneSuccessIsEnough) {
  create_job(R"("parallelism":3,)");
  ASSERT_EQ(active().size(), 3U);
  end_pod(active()[0], 0);
  world_.settle();
  EXPECT_EQ(counts(), "active=2 ready=0 terminating=0 succeeded=1 failed=0");
  EXPECT_EQ(condition("Complete"), "");
  end_pod(active()[0], 1);
  end_pod(active()[0], 0);
  world_.settle();
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=2 failed=1");
  expect_complete();
}

TEST_F(JobsTest, WithNothingToCompleteIsComplete) {
  create_job(R"("completions":0,)");
  EXPECT_TRUE(pods().empty());
  expect_complete();
}

TEST_F(JobsTest, FailedPodsAreReplacedLaterAndLater) {
  create_job(R"("backoffLimit":2,)");
  end_all(1);
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=0 failed=1");
  world_.pass(seconds(9));
  EXPECT_TRUE(active().empty());
  world_.pass(seconds(1));
  EXPECT_EQ(active().size(), 1U);
  end_all(1);
  world_.pass(seconds(10));
  // It is known from the pods alone.
  world_.restart();
  world_.pass(seconds(9));
  EXPECT_TRUE(active().empty());
  world_.pass(seconds(1));
  EXPECT_EQ(active().size(), 1U);
  EXPECT_EQ(condition("FailureTarget"), "");
  world_.clock().advance(seconds(1));  // Events of one moment have one name
  end_all(1);
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=0 failed=3");
  for (const char* type : {"FailureTarget", "Failed"}) {
    EXPECT_EQ(condition(type),
              "True BackoffLimitExceeded: Job has reached the specified backoff limit");
  }
  EXPECT_EQ(status("completionTime"), "-");
  EXPECT_EQ(events("Warning BackoffLimitExceeded: Job has reached the specified backoff limit"), 1);
  EXPECT_EQ(tracked(), 0U);
  expect_at_rest();
}

TEST_F(JobsTest, ThatFailStopTheirOtherPods) {
  create_job(R"("backoffLimit":0,"parallelism":3,)");
  const std::string held = active()[1];
  world_.patch(
      "", "pods", "default", held,
      R"({"metadata":{"finalizers":["example.com/hold","batch.kubernetes.io/job-tracking"]}})");
  end_pod(active()[0], 1);
  world_.settle();
  // It has not come to its end while a pod is still there.
  EXPECT_EQ(condition("FailureTarget"),
            "True BackoffLimitExceeded: Job has reached the specified backoff limit");
  EXPECT_EQ(condition("Failed"), "");
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=1 succeeded=0 failed=3");
  EXPECT_EQ(tracked(), 0U);
  expect_at_rest();
  world_.patch("", "pods", "default", held, R"({"metadata":{"finalizers":null}})");
  world_.settle();
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=0 failed=3");
  EXPECT_EQ(condition("Failed"),
            "True BackoffLimitExceeded: Job has reached the specified backoff limit");
}

TEST_F(JobsTest, MayNotBeActiveForTooLong) {
  create_job(R"("activeDeadlineSeconds":30,)");
  world_.pass(seconds(29));
  EXPECT_EQ(condition("Failed"), "");
  world_.pass(seconds(1));
  EXPECT_EQ(condition("Failed"),
            "True DeadlineExceeded: Job was active longer than specified deadline");
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=0 failed=1");
  EXPECT_TRUE(pods().empty());
}

TEST_F(JobsTest, RestartsOfContainersAreFailures) {
  create_job(R"("backoffLimit":2,)", "OnFailure");
  const auto restarts = [](int count) {
    return R"("containerStatuses":[{"name":"c","image":"i","imageID":"","ready":true,)"
           R"("restartCount":)" +
           std::to_string(count) + R"(,"state":{"running":{}}}],)";
  };
  set_pod(active()[0], "Running", restarts(1));
  world_.settle();
  EXPECT_EQ(condition("Failed"), "");
  set_pod(active()[0], "Running", restarts(2));
  world_.settle();
  EXPECT_EQ(condition("Failed"),
            "True BackoffLimitExceeded: Job has reached the specified backoff limit");
}

TEST_F(JobsTest, AreSuspendedAndResumed) {
  create_job(R"("parallelism":2,"activeDeadlineSeconds":30,)");
  world_.pass(seconds(20));
  patch_job(R"({"suspend":true})");
  EXPECT_TRUE(pods().empty());
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=0 failed=0");
  EXPECT_EQ(condition("Suspended"), "True JobSuspended: Job suspended");
  EXPECT_EQ(status("startTime"), "-");
  expect_at_rest();
  world_.pass(seconds(100));
  EXPECT_EQ(condition("Failed"), "");
  patch_job(R"({"suspend":false})");
  EXPECT_EQ(active().size(), 2U);
  EXPECT_EQ(condition("Suspended"), "False JobResumed: Job resumed");
  EXPECT_EQ(status("startTime"), "2026-01-02T15:06:05Z");
  world_.pass(seconds(29));
  EXPECT_EQ(condition("Failed"), "");
  world_.pass(seconds(1));
  EXPECT_NE(condition("Failed"), "");
}

TEST_F(JobsTest, CanBeginSuspended) {
  create_job(R"("suspend":true,"parallelism":0,)");
  EXPECT_TRUE(pods().empty());
  EXPECT_EQ(events("Normal Suspended: Job suspended"), 1);
  EXPECT_EQ(status("startTime"), "-");
  EXPECT_EQ(condition("Suspended"), "True JobSuspended: Job suspended");
  world_.clock().advance(seconds(1));
  patch_job(R"({"suspend":false})");
  EXPECT_EQ(events("Normal Resumed: Job resumed"), 1);
  patch_job(R"({"parallelism":1})");
  end_all(0);
  expect_complete();
}

TEST_F(JobsTest, IgnoreJobsOfOtherControllers) {
  create_job(R"("managedBy":"example.com/other",)");
  EXPECT_TRUE(pods().empty());
  EXPECT_EQ(status("startTime"), "-");
}

TEST_F(JobsTest, GrowAndShrink) {
  create_job(R"("completions":9,"parallelism":2,)");
  patch_job(R"({"parallelism":4})");
  EXPECT_EQ(active().size(), 4U);
  set_pod(active()[2], "Running", R"("conditions":[{"type":"Ready","status":"True"}],)");
  const std::string running = active()[2];
  patch_job(R"({"parallelism":1})");
  EXPECT_EQ(active(), std::vector<std::string>{running});
  // What was too much has not failed.
  EXPECT_EQ(counts(), "active=1 ready=1 terminating=0 succeeded=0 failed=0");
  EXPECT_EQ(pods().size(), 1U);
}

TEST_F(JobsTest, CountDeletedPodsAsFailed) {
  create_job("");
  world_.remove("", "pods", "default", active()[0]);
  world_.settle();
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=0 failed=1");
  EXPECT_TRUE(pods().empty());
  world_.pass(seconds(10));
  EXPECT_EQ(active().size(), 1U);
}

// A pod that is not gone before somebody else lets it.
class HeldPodTest : public testkit::JobWorld {
 protected:
  void hold_and_remove() {
    held_ = active()[0];
    world_.patch("", "pods", "default", held_,
                 R"({"metadata":{"finalizers":["example.com/hold",)"
                 R"("batch.kubernetes.io/job-tracking"]}})");
    world_.remove("", "pods", "default", held_);
    world_.pass(seconds(30));
  }
  std::string held_;
};

TEST_F(HeldPodTest, IsReplacedWhileItIsOnItsWayOut) {
  create_job("");
  hold_and_remove();
  EXPECT_EQ(counts(), "active=1 ready=0 terminating=1 succeeded=0 failed=1");
  end_pod(held_, 0);
  world_.settle();
  EXPECT_EQ(counts(), "active=1 ready=0 terminating=0 succeeded=0 failed=1");
}

TEST_F(HeldPodTest, IsReplacedWhenItHasFailedIfThePolicySaysSo) {
  create_job(R"("podReplacementPolicy":"Failed",)");
  hold_and_remove();
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=1 succeeded=0 failed=0");
  end_pod(held_, 1);
  world_.pass(seconds(30));
  EXPECT_EQ(counts(), "active=1 ready=0 terminating=0 succeeded=0 failed=1");
}

TEST_F(JobsTest, ManyPodsAreCounted) {
  create_job(R"("completions":60,"parallelism":60,)");
  ASSERT_EQ(active().size(), 60U);
  for (const std::string& name : active()) end_pod(name, 0);
  world_.pass(seconds(1));
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=60 failed=0");
  expect_complete();
}

}  // namespace
}  // namespace proa::controllers::jobs
