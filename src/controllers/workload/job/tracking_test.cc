#include "controllers/workload/job/tracking.h"

#include <gtest/gtest.h>

namespace proa::controllers::jobs {
namespace {

using api::Uid;
using Uids = std::vector<Uid>;
using Positions = std::vector<size_t>;

JobPod pod(std::string uid, PodPhase phase, std::optional<int64_t> index = std::nullopt) {
  JobPod made;
  made.uid = Uid(std::move(uid));
  made.phase = phase;
  made.tracked = true;
  made.index = index;
  return made;
}

// What happens to these pods, and what the status says then.
class NotingDown {
 public:
  Release run(const std::vector<JobPod>& pods, std::optional<End> end = std::nullopt) {
    std::vector<const JobPod*> list;
    for (const JobPod& one : pods) list.push_back(&one);
    status = job.status;
    return note_down(job, tally_pods(job, list), list, end, status);
  }
  JobFacts job;
  JobStatus status;
};

const End kFailure{false, "r", "m"};
const End kSuccess{true, "r", "m"};

TEST(NoteDown, PodsThatEndedMayGo) {
  NotingDown noting;
  const Release release = noting.run(
      {pod("a", PodPhase::kSucceeded), pod("b", PodPhase::kRunning), pod("c", PodPhase::kFailed)});
  EXPECT_EQ(release.pods, (Positions{0, 2}));
  EXPECT_TRUE(release.all);
  EXPECT_EQ(noting.status.uncounted_succeeded, Uids{Uid("a")});
  EXPECT_EQ(noting.status.uncounted_failed, Uids{Uid("c")});
}

TEST(NoteDown, WhatIsNotedDownGoesAndIsNotNotedDownAgain) {
  NotingDown noting;
  noting.job.status.uncounted_succeeded = {Uid("a")};
  noting.job.status.uncounted_failed = {Uid("b")};
  const Release release =
      noting.run({pod("a", PodPhase::kSucceeded), pod("b", PodPhase::kSucceeded)});
  EXPECT_EQ(release.pods, (Positions{0, 1}));
  EXPECT_EQ(noting.status.uncounted_succeeded, Uids{Uid("a")});
  EXPECT_EQ(noting.status.uncounted_failed, Uids{Uid("b")});
}

TEST(NoteDown, WhenTheJobFailsSoDoesWhatItStopped) {
  NotingDown noting;
  const Release release = noting.run({pod("a", PodPhase::kRunning)}, kFailure);
  EXPECT_EQ(release.pods, Positions{0});
  EXPECT_EQ(noting.status.uncounted_failed, Uids{Uid("a")});
}

TEST(NoteDown, WhenTheJobSucceedsWhatItStoppedIsNoFailure) {
  NotingDown noting;
  const Release release = noting.run({pod("a", PodPhase::kRunning)}, kSuccess);
  EXPECT_EQ(release.pods, Positions{0});
  EXPECT_TRUE(noting.status.all_counted());
}

TEST(NoteDown, WhenTheJobIsDeletedEverythingGoes) {
  NotingDown noting;
  noting.job.being_deleted = true;
  EXPECT_EQ(noting.run({pod("a", PodPhase::kRunning)}).pods, Positions{0});
  EXPECT_TRUE(noting.status.all_counted());
}

TEST(NoteDown, OfIndexedJobsIndexesAreEnough) {
  NotingDown noting;
  noting.job.spec.indexed = true;
  noting.job.spec.completions = 3;
  noting.job.spec.backoff_limit_per_index = 1;
  const Release release =
      noting.run({pod("a", PodPhase::kSucceeded, 2), pod("b", PodPhase::kFailed, 1),
                  pod("c", PodPhase::kSucceeded, 0), pod("d", PodPhase::kSucceeded, 7)});
  // The failed one waits for the one that replaces it.
  EXPECT_EQ(release.pods, (Positions{2, 0, 3}));
  EXPECT_EQ(noting.status.completed_indexes, "0,2");
  EXPECT_EQ(noting.status.failed_indexes, "");
  EXPECT_EQ(noting.status.succeeded, 2);
  EXPECT_TRUE(noting.status.all_counted());
}

TEST(NoteDown, DoesNotNoteDownTooManyAtOnce) {
  NotingDown noting;
  std::vector<JobPod> pods;
  for (int i = 0; i < 502; ++i) pods.push_back(pod(std::to_string(i), PodPhase::kSucceeded));
  noting.job.status.uncounted_failed = {Uid("501")};
  const Release release = noting.run(pods);
  EXPECT_FALSE(release.all);
  EXPECT_EQ(noting.status.uncounted_succeeded.size(), 499U);
  EXPECT_EQ(release.pods.size(), 500U);
  EXPECT_EQ(release.pods.back(), 501U);  // it was noted down before
}

TEST(CountUntracked, CountsThoseThatHaveLostTheirFinalizer) {
  JobStatus status;
  status.succeeded = 1;
  status.uncounted_succeeded = {Uid("a"), Uid("b")};
  status.uncounted_failed = {Uid("c"), Uid("d"), Uid("e")};
  count_untracked(status, {Uid("b"), Uid("d")});
  EXPECT_EQ(status.succeeded, 2);
  EXPECT_EQ(status.failed, 2);
  EXPECT_EQ(status.uncounted_succeeded, Uids{Uid("b")});
  EXPECT_EQ(status.uncounted_failed, Uids{Uid("d")});
}

}  // namespace
}  // namespace proa::controllers::jobs
