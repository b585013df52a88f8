#include "controllers/workload/job/decision.h"

#include <gtest/gtest.h>

namespace proa::controllers::jobs {
namespace {

constexpr Time kNow{std::chrono::seconds(1767366245)};  // 2026-01-02T15:04:05Z
using Positions = std::vector<size_t>;
using Ints = std::vector<int64_t>;

struct Decision {
  JobFacts job;
  std::vector<JobPod> pods;

  void add(PodPhase phase, std::optional<int64_t> index = std::nullopt) {
    JobPod pod;
    pod.uid = api::Uid(std::to_string(pods.size()));
    pod.phase = phase;
    pod.index = index;
    pod.tracked = true;
    pods.push_back(std::move(pod));
  }
  void add_many(PodPhase phase, int count) {
    for (int i = 0; i < count; ++i) add(phase);
  }
  std::vector<const JobPod*> list() const {
    std::vector<const JobPod*> list;
    for (const JobPod& pod : pods) list.push_back(&pod);
    return list;
  }
  std::string end() const {
    const auto found = judge_job(job, tally_pods(job, list()), list(), kNow);
    if (!found) return "";
    return found->reason + (found->success ? "+" : "-");
  }
  // Those that came first go first.
  PodPlan plan(const PodBackoff& backoff = {}) const {
    return plan_pods(job, tally_pods(job, list()), list(), backoff, kNow, std::less<>());
  }
};

Decision indexed(int64_t completions, int64_t parallelism) {
  Decision made;
  made.job.spec.indexed = true;
  made.job.spec.completions = completions;
  made.job.spec.parallelism = parallelism;
  return made;
}

TEST(JudgeJob, EndsWithTooManyFailures) {
  Decision one;
  one.job.spec.backoff_limit = 2;
  one.job.status.failed = 1;
  one.add_many(PodPhase::kFailed, 1);
  EXPECT_EQ(one.end(), "");
  one.add_many(PodPhase::kFailed, 1);
  EXPECT_EQ(one.end(), "BackoffLimitExceeded-");
}

TEST(JudgeJob, RestartsInPlaceAreFailures) {
  struct Case {
    int64_t limit;
    int64_t restarts;
    bool ends;
  };
  for (const Case& c : {Case{0, 0, false}, {0, 1, true}, {3, 2, false}, {3, 3, true}}) {
    Decision one;
    one.job.spec.backoff_limit = c.limit;
    one.add_many(PodPhase::kRunning, 1);
    one.pods[0].restarts = c.restarts;
    EXPECT_EQ(one.end(), "");
    one.job.spec.restarts_in_place = true;
    EXPECT_EQ(one.end(), c.ends ? "BackoffLimitExceeded-" : "") << c.limit << " " << c.restarts;
  }
}

TEST(JudgeJob, EndsAtItsDeadline) {
  Decision one;
  one.job.spec.active_deadline_seconds = 10;
  EXPECT_EQ(one.end(), "");
  one.job.status.start_time = format_time(kNow - std::chrono::seconds(9));
  EXPECT_EQ(one.end(), "");
  EXPECT_EQ(deadline_left(one.job, kNow), std::chrono::seconds(1));
  one.job.status.start_time = format_time(kNow - std::chrono::seconds(10));
  EXPECT_EQ(one.end(), "DeadlineExceeded-");
  one.job.spec.suspended = true;
  EXPECT_EQ(one.end(), "");
  EXPECT_EQ(deadline_left(one.job, kNow), std::nullopt);
}

TEST(JudgeJob, ADeadlineMayBeFarAway) {
  Decision one;
  one.job.status.start_time = format_time(kNow);
  one.job.spec.active_deadline_seconds = std::numeric_limits<int64_t>::max();
  EXPECT_GT(*deadline_left(one.job, kNow), std::chrono::hours(24 * 365 * 50));
}

TEST(JudgeJob, WhatWasDecidedStays) {
  Decision one;
  one.job.ending = End{true, "SuccessPolicy", ""};
  one.job.status.failed = 100;
  EXPECT_EQ(one.end(), "SuccessPolicy+");
}

TEST(JudgeJob, EndsWithFailedIndexes) {
  Decision one = indexed(4, 4);
  one.job.spec.backoff_limit = 1000;
  one.job.spec.backoff_limit_per_index = 0;
  one.job.status.completed_indexes = "0,1";
  one.add(PodPhase::kFailed, 2);
  EXPECT_EQ(one.end(), "");
  one.job.spec.max_failed_indexes = 0;
  EXPECT_EQ(one.end(), "MaxFailedIndexesExceeded-");
  one.job.spec.max_failed_indexes = 1;
  EXPECT_EQ(one.end(), "");
  one.job.status.completed_indexes = "0,1,3";
  EXPECT_EQ(one.end(), "FailedIndexes-");
}

TEST(JudgeCompletion, NeedsEnoughSuccessesAndNoActivePod) {
  Decision one;
  Tally tally;
  one.job.spec.completions = 2;
  tally.succeeded = 1;
  EXPECT_FALSE(judge_completion(one.job, tally, 0));
  tally.succeeded = 2;
  EXPECT_FALSE(judge_completion(one.job, tally, 1));
  EXPECT_EQ(judge_completion(one.job, tally, 0),
            (End{true, "CompletionsReached", "Reached expected number of succeeded pods"}));
  one.job.spec.completions.reset();
  EXPECT_TRUE(judge_completion(one.job, tally, 0));
  tally.succeeded = 0;
  EXPECT_FALSE(judge_completion(one.job, tally, 0));
  one.job.spec.completions = 0;
  EXPECT_TRUE(judge_completion(one.job, tally, 0));
}

TEST(PlanPods, MakesWhatIsMissing) {
  struct Case {
    const char* name;
    std::optional<int64_t> completions;
    int64_t parallelism;
    int64_t succeeded;
    int active;
    size_t create;
    size_t remove;
  };
  const Case cases[] = {
      {"all", 5, 2, 0, 0, 2, 0},
      {"one more", 5, 2, 0, 1, 1, 0},
      {"no more than are left", 5, 3, 4, 0, 1, 0},
      {"done", 5, 3, 5, 0, 0, 0},
      {"too many succeeded", 5, 3, 6, 1, 0, 1},
      {"too many", 5, 2, 0, 4, 0, 2},
      {"stopped by hand", 5, 0, 0, 2, 0, 2},
      {"without completions", std::nullopt, 3, 0, 1, 2, 0},
      {"without completions, one succeeded", std::nullopt, 3, 1, 2, 0, 0},
      {"many", 5000, 5000, 0, 0, 500, 0},
      {"far too many", 5000, 100, 0, 700, 0, 500},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Decision one;
    one.job.spec.completions = c.completions;
    one.job.spec.parallelism = c.parallelism;
    one.job.status.succeeded = c.succeeded;
    one.add_many(PodPhase::kRunning, c.active);
    const PodPlan plan = one.plan();
    EXPECT_EQ(plan.create, c.create);
    EXPECT_EQ(plan.remove.size(), c.remove);
    EXPECT_EQ(plan.wait, Duration::zero());
  }
}

TEST(PlanPods, OneThatIsSuspendedStopsAsAWhole) {
  Decision one;
  one.job.spec.suspended = true;
  one.job.spec.parallelism = 1000;
  one.add_many(PodPhase::kRunning, 700);
  EXPECT_EQ(one.plan().remove.size(), 700U);
  one.pods.clear();
  EXPECT_EQ(one.plan().create, 0U);
}

TEST(PlanPods, WaitsAfterFailures) {
  Decision one;
  const PodPlan plan = one.plan({.failures = 2, .last_failure = kNow - std::chrono::seconds(5)});
  EXPECT_EQ(plan.create, 0U);
  EXPECT_EQ(plan.wait, std::chrono::seconds(15));
  EXPECT_EQ(one.plan({.failures = 2, .last_failure = kNow - std::chrono::seconds(20)}).create, 1U);
}

TEST(PlanPods, WaitsForPodsOnTheirWayOutWhereOnlyFailedOnesAreReplaced) {
  Decision one;
  one.job.spec.parallelism = 3;
  one.add_many(PodPhase::kRunning, 2);
  one.pods[0].being_deleted = true;
  EXPECT_EQ(one.plan().create, 2U);
  one.job.spec.replaces_only_failed = true;
  EXPECT_EQ(one.plan().create, 1U);
}

TEST(PlanPods, TakesTheFirstIndexesThatAreFree) {
  Decision one = indexed(10, 4);
  one.job.status.completed_indexes = "0,2";
  one.add(PodPhase::kRunning, 3);
  EXPECT_EQ(one.plan().indexes, (Ints{1, 4, 5}));
  EXPECT_EQ(one.plan().create, 3U);
  one.add(PodPhase::kRunning, 1);
  one.pods.back().being_deleted = true;
  EXPECT_EQ(one.plan().indexes, (Ints{1, 4, 5}));
  one.job.spec.replaces_only_failed = true;
  EXPECT_EQ(one.plan().indexes, (Ints{4, 5}));
}

TEST(PlanPods, OfPodsWithTheSameIndexOneStays) {
  Decision one = indexed(3, 3);
  one.add(PodPhase::kRunning, 0);
  one.add(PodPhase::kRunning, 1);
  one.add(PodPhase::kRunning, 0);
  one.add(PodPhase::kRunning, 3);  // it shrank
  one.add(PodPhase::kRunning, std::nullopt);
  const PodPlan plan = one.plan();
  EXPECT_EQ(plan.remove, (Positions{0, 3, 4}));
  EXPECT_EQ(plan.create, 0U);
}

TEST(PlanPods, EachIndexWaitsForItself) {
  Decision one = indexed(4, 3);
  one.job.spec.backoff_limit_per_index = 5;
  for (const int64_t index : {0, 1}) {
    one.add(PodPhase::kFailed, index);
    one.pods.back().failures = index;
    one.pods.back().finished_at = kNow - std::chrono::seconds(5);
  }
  PodPlan plan = one.plan({.failures = 100, .last_failure = kNow});
  EXPECT_EQ(plan.indexes, Ints{2});
  EXPECT_EQ(plan.wait, std::chrono::seconds(5));
  one.pods[0].finished_at = kNow - std::chrono::seconds(10);
  plan = one.plan();
  EXPECT_EQ(plan.indexes, (Ints{0, 2}));
  EXPECT_EQ(plan.wait, std::chrono::seconds(15));
}

}  // namespace
}  // namespace proa::controllers::jobs
