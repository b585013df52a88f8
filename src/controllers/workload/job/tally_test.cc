#include "controllers/workload/job/tally.h"

#include <gtest/gtest.h>

namespace proa::controllers::jobs {
namespace {

// A list of pods, each with a uid of its own: "0", "1", ...
class PodList {
 public:
  JobPod& add(PodPhase phase, std::optional<int64_t> index = std::nullopt) {
    JobPod pod;
    pod.uid = api::Uid(std::to_string(pods_.size()));
    pod.phase = phase;
    pod.tracked = true;
    pod.index = index;
    pods_.push_back(std::make_unique<JobPod>(std::move(pod)));
    return *pods_.back();
  }
  std::vector<const JobPod*> list() const {
    std::vector<const JobPod*> list;
    for (const auto& pod : pods_) list.push_back(pod.get());
    return list;
  }

 private:
  std::vector<std::unique_ptr<JobPod>> pods_;
};

using Positions = std::vector<size_t>;

TEST(TallyPods, TellsWhatIsAliveAndWhatEnded) {
  JobFacts job;
  PodList pods;
  pods.add(PodPhase::kPending);
  pods.add(PodPhase::kRunning).ready = true;
  pods.add(PodPhase::kRunning).being_deleted = true;
  pods.add(PodPhase::kSucceeded);
  pods.add(PodPhase::kFailed);
  pods.add(PodPhase::kFailed).being_deleted = true;
  const Tally tally = tally_pods(job, pods.list());
  EXPECT_EQ(tally.active, (Positions{0, 1}));
  EXPECT_EQ(tally.ready, 1);
  EXPECT_EQ(tally.terminating, 1);
  EXPECT_EQ(tally.new_succeeded, (Positions{3}));
  EXPECT_EQ(tally.new_failed, (Positions{2, 4, 5}));
  EXPECT_EQ(tally.succeeded, 1);
  EXPECT_EQ(tally.failed, 3);
}

TEST(TallyPods, APodOnItsWayOutHasNotFailedWhereOnlyFailedOnesAreReplaced) {
  JobFacts job;
  job.spec.replaces_only_failed = true;
  PodList pods;
  pods.add(PodPhase::kRunning).being_deleted = true;
  const Tally tally = tally_pods(job, pods.list());
  EXPECT_EQ(tally.terminating, 1);
  EXPECT_EQ(tally.failed, 0);
}

TEST(TallyPods, CountsNothingTwice) {
  JobFacts job;
  job.status.succeeded = 4;
  job.status.failed = 2;
  job.status.uncounted_succeeded = {api::Uid("0"), api::Uid("gone")};
  job.status.uncounted_failed = {api::Uid("1")};
  PodList pods;
  pods.add(PodPhase::kSucceeded);                  // noted down
  pods.add(PodPhase::kSucceeded);                  // noted down as failed: it was on its way out
  pods.add(PodPhase::kSucceeded).tracked = false;  // counted
  pods.add(PodPhase::kSucceeded);
  const Tally tally = tally_pods(job, pods.list());
  EXPECT_EQ(tally.new_succeeded, (Positions{3}));
  EXPECT_EQ(tally.succeeded, 4 + 2 + 1);
  EXPECT_EQ(tally.failed, 2 + 1);
}

TEST(TallyPods, WhatAPolicyIgnoresIsNewButNotCounted) {
  JobFacts job;
  job.spec.has_failure_policy = job.spec.replaces_only_failed = true;
  job.spec.failure_rules = {
      {.action = FailureRule::Action::kIgnore, .conditions = {{"DisruptionTarget", "True"}}}};
  PodList pods;
  pods.add(PodPhase::kFailed).conditions = {{"DisruptionTarget", "True"}};
  pods.add(PodPhase::kFailed);
  const Tally tally = tally_pods(job, pods.list());
  EXPECT_EQ(tally.new_failed, (Positions{0, 1}));
  EXPECT_EQ(tally.failed, 1);
}

JobFacts indexed_job(int64_t completions) {
  JobFacts job;
  job.spec.indexed = true;
  job.spec.completions = completions;
  return job;
}

TEST(TallyPods, IndexesThatSucceededAreCounted) {
  JobFacts job = indexed_job(5);
  job.status.completed_indexes = "0,3-9";
  PodList pods;
  pods.add(PodPhase::kSucceeded, 1);
  pods.add(PodPhase::kSucceeded, 3);
  pods.add(PodPhase::kSucceeded, 7);                  // beyond the job
  pods.add(PodPhase::kSucceeded);                     // without an index
  pods.add(PodPhase::kSucceeded, 2).tracked = false;  // counted, and then the job shrank and grew
  const Tally tally = tally_pods(job, pods.list());
  EXPECT_EQ(tally.completed_indexes.str(), "0,1,3,4");
  EXPECT_EQ(tally.succeeded, 4);
  EXPECT_EQ(tally.new_succeeded, (Positions{0, 1}));
  EXPECT_TRUE(tally.failed_indexes.empty());
  EXPECT_TRUE(tally.to_replace.empty());
}

TEST(TallyPods, AnIndexThatWasNotedDownAsFailedDoesNotSucceedAsWell) {
  JobFacts job = indexed_job(2);
  job.status.uncounted_failed = {api::Uid("0")};
  PodList pods;
  pods.add(PodPhase::kSucceeded, 0).being_deleted = true;
  const Tally tally = tally_pods(job, pods.list());
  EXPECT_TRUE(tally.completed_indexes.empty());
  EXPECT_EQ(tally.failed, 1);
}

TEST(TallyPods, WithALimitForEachIndexTheLastFailureStays) {
  JobFacts job = indexed_job(10);
  job.spec.backoff_limit_per_index = 2;
  job.status.failed_indexes = "9";
  job.status.completed_indexes = "8";
  PodList pods;
  pods.add(PodPhase::kFailed, 0).failures = 1;  // the one before
  pods.add(PodPhase::kFailed, 0).failures = 1;
  pods.add(PodPhase::kFailed, 1).failures = 2;  // once too often
  pods.add(PodPhase::kFailed, 2);               // has another one
  pods.add(PodPhase::kRunning, 2);
  pods.add(PodPhase::kFailed, 8);
  pods.add(PodPhase::kFailed, 9);
  pods.add(PodPhase::kFailed, 8).failures = 2;  // its index succeeded meanwhile
  const Tally tally = tally_pods(job, pods.list());
  EXPECT_EQ(tally.failed_indexes.str(), "1,9");
  EXPECT_EQ(tally.to_replace, (std::map<int64_t, size_t>{{0, 1}}));
}

TEST(TallyPods, APolicyCanFailAnIndexAtOnce) {
  JobFacts job = indexed_job(10);
  job.spec.backoff_limit_per_index = 2;
  job.spec.has_failure_policy = job.spec.replaces_only_failed = true;
  job.spec.failure_rules = {
      {.action = FailureRule::Action::kFailIndex,
       .exit_codes = FailureRule::ExitCodes{.container = {}, .among = true, .codes = {7}}},
      {.action = FailureRule::Action::kIgnore,
       .exit_codes = FailureRule::ExitCodes{.container = {}, .among = true, .codes = {8}}}};
  PodList pods;
  pods.add(PodPhase::kFailed, 0).exits = {{"c", 7}};
  JobPod& ignored = pods.add(PodPhase::kFailed, 1);
  ignored.exits = {{"c", 8}};
  ignored.failures = 5;
  const Tally tally = tally_pods(job, pods.list());
  EXPECT_EQ(tally.failed_indexes.str(), "0");
  EXPECT_EQ(tally.to_replace, (std::map<int64_t, size_t>{{1, 1}}));
}

}  // namespace
}  // namespace proa::controllers::jobs
