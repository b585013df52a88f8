#include "controllers/workload/job/backoff.h"

#include <gtest/gtest.h>

namespace proa::controllers::jobs {
namespace {

Time at(int64_t seconds) { return Time(std::chrono::seconds(seconds)); }

TEST(PodBackoff, DoublesUpToTenMinutes) {
  const std::pair<int64_t, int64_t> cases[] = {{0, 0},   {1, 10},  {2, 20},  {3, 40},
                                               {6, 320}, {7, 600}, {8, 600}, {1000, 600}};
  for (const auto& [failures, seconds] : cases) {
    EXPECT_EQ(backoff_left(failures, at(1000), at(1000)), std::chrono::seconds(seconds))
        << failures;
  }
}

TEST(PodBackoff, Passes) {
  EXPECT_EQ(backoff_left(1, at(1000), at(1004)), std::chrono::seconds(6));
  EXPECT_EQ(backoff_left(1, at(1000), at(1010)), Duration::zero());
  EXPECT_EQ(backoff_left(1, at(1000), at(5000)), Duration::zero());
}

TEST(PodBackoff, CountsFailuresSinceTheLastSuccess) {
  const PodBackoff before{.failures = 3, .last_failure = at(50)};
  struct Case {
    const char* name;
    std::vector<Time> successes;
    std::vector<Time> failed;
    PodBackoff expected;
  };
  const Case cases[] = {
      {"nothing new", {}, {}, before},
      {"failures", {}, {at(70), at(60)}, {5, at(70)}},
      {"an older failure", {}, {at(40)}, {4, at(50)}},
      {"a success", {at(60)}, {}, {}},
      {"failures around a success",
       {at(60), at(55)},
       {at(58), at(61), at(63), at(62)},
       {3, at(63)}},
      {"failures before a success", {at(60)}, {at(58), at(60)}, {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(before.after(c.successes, c.failed), c.expected);
  }
}

TEST(PodBackoff, IsRecalledFromPodsThatWereCounted) {
  const auto pod = [](PodPhase phase, int64_t seconds, bool tracked, bool deleted) {
    JobPod made;
    made.phase = phase;
    made.finished_at = at(seconds);
    made.tracked = tracked;
    made.being_deleted = deleted;
    return made;
  };
  const JobPod pods[] = {
      pod(PodPhase::kFailed, 10, false, false),  pod(PodPhase::kSucceeded, 20, false, false),
      pod(PodPhase::kFailed, 30, false, false),  pod(PodPhase::kFailed, 40, false, false),
      pod(PodPhase::kFailed, 50, true, false),   pod(PodPhase::kFailed, 60, false, true),
      pod(PodPhase::kRunning, 70, false, false),
  };
  std::vector<const JobPod*> list;
  for (const JobPod& one : pods) list.push_back(&one);
  EXPECT_EQ(recall_backoff(list), (PodBackoff{2, at(40)}));
}

TEST(PodBackoffs, AreOfOneJobOnly) {
  PodBackoffs backoffs;
  backoffs.keep({"ns", "a"}, "uid", {1, at(5)});
  EXPECT_EQ(backoffs.find({"ns", "a"}, "uid"), (PodBackoff{1, at(5)}));
  EXPECT_EQ(backoffs.find({"ns", "a"}, "other"), std::nullopt);
  backoffs.forget({"ns", "a"});
  EXPECT_EQ(backoffs.find({"ns", "a"}, "uid"), std::nullopt);
}

}  // namespace
}  // namespace proa::controllers::jobs
