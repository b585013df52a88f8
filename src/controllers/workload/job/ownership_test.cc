#include "controllers/workload/job/ownership.h"

#include "testkit/controllers/job_world.h"

namespace proa::controllers::jobs {
namespace {

using std::chrono::seconds;

TEST(OrphanKey, IsNoKeyOfAJob) {
  EXPECT_EQ(pod_of_orphan_key(orphan_key({"ns", "a"})), (api::PodKey{"ns", "a"}));
  EXPECT_EQ(pod_of_orphan_key({"ns", "a"}), std::nullopt);
}

class PodOwnershipTest : public testkit::JobWorld {
 protected:
  // A job that selects "app=work", and not what makes it unique.
  void create_selecting_job() {
    create_job(
        R"("manualSelector":true,"selector":{"matchLabels":{"app":"work"}},"completions":3,)");
  }
  void create_pod(const std::string& name, const std::string& metadata = "") {
    world_.create("", "pods", "default",
                  R"({"metadata":{"name":")" + name + R"(",)" + metadata +
                      R"("labels":{"app":"work"}},"spec":{"restartPolicy":"Never",)"
                      R"("containers":[{"name":"c","image":"i"}]}})");
    world_.settle();
  }
  bool is_owned(const std::string& name) {
    return !world_.get("", "pods", "default", name)->metadata().owners.empty();
  }
  bool is_tracked(const std::string& name) {
    return job_pod(*world_.get("", "pods", "default", name)).tracked;
  }
};

TEST_F(PodOwnershipTest, OrphansAreAdoptedAndCounted) {
  create_pod("stray");
  create_selecting_job();
  EXPECT_EQ(active(), std::vector<std::string>{"stray"});
  EXPECT_TRUE(is_owned("stray"));
  EXPECT_TRUE(is_tracked("stray"));
  expect_at_rest();
  create_pod("late");
  EXPECT_EQ(active().size(), 1U);  // it is adopted, and one is too many
  end_all(0);
  EXPECT_EQ(counts(), "active=1 ready=0 terminating=0 succeeded=1 failed=0");
}

TEST_F(PodOwnershipTest, PodsThatAreNotSelectedAnyMoreAreLetGo) {
  create_selecting_job();
  const std::string name = active()[0];
  world_.patch("", "pods", "default", name, R"({"metadata":{"labels":{"app":"other"}}})");
  world_.settle();
  EXPECT_FALSE(is_owned(name));
  EXPECT_FALSE(is_tracked(name));
  EXPECT_EQ(counts(), "active=1 ready=0 terminating=0 succeeded=0 failed=0");
  EXPECT_EQ(active().size(), 2U);
}

TEST_F(PodOwnershipTest, WhenTheJobIsGonePodsMayGoToo) {
  create_job(R"("parallelism":2,)");
  ASSERT_EQ(tracked(), 2U);
  remove_job(api::Propagation::kBackground);
  ASSERT_EQ(job(), nullptr);
  world_.settle();
  EXPECT_EQ(tracked(), 0U);
}

TEST_F(PodOwnershipTest, WhenTheJobWentWhileNobodyLookedPodsMayGoToo) {
  create_job("");
  remove_job(api::Propagation::kBackground);
  world_.restart();
  world_.settle();
  EXPECT_EQ(tracked(), 0U);
}

TEST_F(PodOwnershipTest, WhenTheJobIsBeingDeletedPodsMayGoAndNoneAreMade) {
  create_job(R"("parallelism":2,)");
  remove_job(api::Propagation::kForeground);
  world_.settle();
  EXPECT_EQ(tracked(), 0U);
  for (const std::string& name : active()) world_.remove("", "pods", "default", name);
  world_.pass(seconds(60));
  EXPECT_TRUE(pods().empty());
  ASSERT_NE(job(), nullptr);
}

TEST_F(PodOwnershipTest, WhenTheJobIsBeingDeletedPodsThatItDoesNotSelectMayGoToo) {
  create_selecting_job();
  const std::string name = active()[0];
  world_.patch("", "pods", "default", name, R"({"metadata":{"labels":{"app":"other"}}})");
  remove_job(api::Propagation::kForeground);
  world_.settle();
  EXPECT_TRUE(is_owned(name));
  EXPECT_FALSE(is_tracked(name));
}

TEST_F(PodOwnershipTest, AJobThatNeverBeganCompletesWithPodsOfOthers) {
  create_pod("stray");
  end_pod("stray", 0);
  create_job(R"("suspend":true,"manualSelector":true,"selector":{"matchLabels":{"app":"work"}},)");
  expect_complete();
  EXPECT_NE(status("startTime"), "-");
}

TEST_F(PodOwnershipTest, PodsWithoutAJobAreNotHeld) {
  create_pod("stray", R"("finalizers":["batch.kubernetes.io/job-tracking"],)");
  EXPECT_FALSE(is_tracked("stray"));
}

TEST_F(PodOwnershipTest, PodsOfOtherOwnersKeepWhatTheyHave) {
  create_pod(
      "other",
      R"("finalizers":["batch.kubernetes.io/job-tracking"],"ownerReferences":[{)"
      R"("apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","uid":"u","controller":true}],)");
  EXPECT_TRUE(is_tracked("other"));
}

TEST_F(PodOwnershipTest, PodsOfAJobThatIsFinishedAreNotHeld) {
  create_job("");
  end_all(0);
  expect_complete();
  const std::string owner =
      R"({"apiVersion":"batch/v1","kind":"Job","name":"work","controller":true,"uid":")" +
      std::string(job()->metadata().uid) + "\"}";
  create_pod("late", R"("finalizers":["batch.kubernetes.io/job-tracking"],"ownerReferences":[)" +
                         owner + "],");
  EXPECT_FALSE(is_tracked("late"));
}

// Kills the controller after each of its writes in turn: every pod is counted once.
class JobCrashTest : public testkit::JobWorld,
                     public testing::WithParamInterface<std::pair<int, bool>> {
 protected:
  void run_until_killed() {
    writes_left_ = static_cast<size_t>(GetParam().first);
    last_is_done_ = GetParam().second;
    world_.settle();
    writes_left_ = std::numeric_limits<size_t>::max();
    last_is_done_ = false;
    world_.restart();
    world_.settle();
  }
};

TEST_P(JobCrashTest, EveryPodIsCountedOnce) {
  create_job(R"("completions":5,"parallelism":4,"backoffLimit":2,)");
  ASSERT_EQ(active().size(), 4U);
  const std::vector<std::string> first = active();
  end_pod(first[0], 0);
  end_pod(first[1], 1);
  end_pod(first[2], 0);
  run_until_killed();
  world_.pass(seconds(10));
  EXPECT_EQ(counts(), "active=3 ready=0 terminating=0 succeeded=2 failed=1");
  EXPECT_EQ(status("uncountedTerminatedPods"), "{}");
  EXPECT_EQ(tracked(), 3U);
  for (const std::string& name : active()) end_pod(name, 0);
  run_until_killed();
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=5 failed=1");
  expect_complete();
  EXPECT_EQ(pods().size(), 6U);
}

TEST_P(JobCrashTest, EveryIndexIsCountedOnce) {
  create_job(
      R"("completions":3,"parallelism":3,"completionMode":"Indexed","backoffLimitPerIndex":1,)");
  end_pod(active_at(0), 0);
  end_pod(active_at(1), 1);
  run_until_killed();
  world_.pass(seconds(10));
  EXPECT_EQ(counts(), "active=2 ready=0 terminating=0 succeeded=1 failed=1");
  EXPECT_EQ(status("completedIndexes"), "0");
  EXPECT_EQ(status("failedIndexes"), "");
  end_pod(active_at(1), 1);
  end_pod(active_at(2), 0);
  run_until_killed();
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=2 failed=2");
  EXPECT_EQ(status("completedIndexes"), "0,2");
  EXPECT_EQ(status("failedIndexes"), "1");
  EXPECT_EQ(condition("Failed"), "True FailedIndexes: Job has failed indexes");
  EXPECT_EQ(tracked(), 0U);
}

TEST_P(JobCrashTest, WhatAFailureStoppedIsCountedOnce) {
  create_job(R"("parallelism":3,"backoffLimit":0,)");
  end_pod(active()[1], 1);
  run_until_killed();
  EXPECT_EQ(counts(), "active=0 ready=0 terminating=0 succeeded=0 failed=3");
  EXPECT_EQ(condition("Failed"),
            "True BackoffLimitExceeded: Job has reached the specified backoff limit");
  EXPECT_EQ(tracked(), 0U);
}

INSTANTIATE_TEST_SUITE_P(AfterWrites, JobCrashTest,
                         testing::Values(std::pair(0, false), std::pair(0, true),
                                         std::pair(1, false), std::pair(1, true),
                                         std::pair(2, true), std::pair(3, true), std::pair(4, true),
                                         std::pair(5, true), std::pair(6, false),
                                         std::pair(7, true)));

}  // namespace
}  // namespace proa::controllers::jobs
