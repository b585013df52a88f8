#pragma once

#include <set>

#include "controllers/workload/job/tally.h"

namespace proa::controllers::jobs {

// How a pod is counted exactly once, whenever the controller is killed:
//   1. its uid is noted down in the status (of an indexed job, its index is),
//   2. its finalizer is removed, so that it may go,
//   3. its uid is taken out of the status again, and the number there grows by one.
// A pod that has its finalizer and is noted down is at 1, one that has none, or is gone, at 2. A
// pod without a finalizer that is not noted down was counted before.

// Uids of those that have their finalizer.
std::set<api::Uid> tracked_uids(Pods pods);

// Step 3.
void count_untracked(JobStatus& status, const std::set<api::Uid>& tracked);

// Step 1 in `status`, for all pods that may go now; what is left is to remove their finalizers.
struct Release {
  std::vector<size_t> pods = {};
  bool all = true;  // false: there are more, but that was enough for once
};
Release note_down(const JobFacts& job, const Tally& tally, Pods pods, const std::optional<End>& end,
                  JobStatus& status);

}  // namespace proa::controllers::jobs
