#pragma once

#include <set>

#include "controllers/workload/job/tally.h"

namespace proa::controllers::jobs {

// Counts each pod exactly once, even if the controller is killed at any point:
//   1. its uid is added to the status (of an indexed job: its index),
//   2. its finalizer is removed, so that it can be deleted,
//   3. its uid is removed from the status and the count is incremented.
// A recorded pod with its finalizer is at step 1; a recorded pod without it, or a deleted one, at
// step 2. An unrecorded pod without a finalizer was counted before.

// Uids of pods with the finalizer.
std::set<api::Uid> tracked_uids(Pods pods);

// Step 3.
void count_untracked(JobStatus& status, const std::set<api::Uid>& tracked);

// Step 1 in `status` for all pods that can be counted now; the caller removes their finalizers.
struct Release {
  std::vector<size_t> pods = {};
  bool all = true;  // false: the limit per write was reached
};
Release note_down(const JobFacts& job, const Tally& tally, Pods pods, const std::optional<End>& end,
                  JobStatus& status);

}  // namespace proa::controllers::jobs
