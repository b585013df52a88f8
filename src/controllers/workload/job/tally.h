#pragma once

#include <map>

#include "controllers/workload/job/job_facts.h"

namespace proa::controllers::jobs {

// What the pods of a job come to, with what was counted before.
struct Tally {
  std::vector<size_t> active = {};
  int64_t ready = 0;
  int64_t terminating = 0;
  // Ended, and neither counted nor noted down to be counted.
  std::vector<size_t> new_succeeded = {};
  std::vector<size_t> new_failed = {};
  // All there ever were; for an indexed job, indexes that succeeded.
  int64_t succeeded = 0;
  int64_t failed = 0;
  Indexes completed_indexes = {};
  Indexes failed_indexes = {};  // with a limit for each index only
  // With such a limit: the last failed pod of an index that has no other one yet. It stays until
  // then, because it knows how often its index has failed.
  std::map<int64_t, size_t> to_replace = {};
};

Tally tally_pods(const JobFacts& job, Pods pods);

// The indexes of these pods.
Indexes indexes_of(Pods pods, const std::vector<size_t>& positions);

}  // namespace proa::controllers::jobs
