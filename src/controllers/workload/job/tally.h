#pragma once

#include <map>

#include "controllers/workload/job/job_facts.h"

namespace proa::controllers::jobs {

// The pods of a job by state, together with those counted earlier.
struct Tally {
  std::vector<size_t> active = {};
  int64_t ready = 0;
  int64_t terminating = 0;
  // Finished, and neither counted nor recorded as uncounted.
  std::vector<size_t> new_succeeded = {};
  std::vector<size_t> new_failed = {};
  // Totals; of an indexed job, the number of succeeded indexes.
  int64_t succeeded = 0;
  int64_t failed = 0;
  Indexes completed_indexes = {};
  Indexes failed_indexes = {};  // with backoffLimitPerIndex only
  // With backoffLimitPerIndex: the last failed pod of an index without a successor. It is kept
  // until then, since it has the failure count of the index.
  std::map<int64_t, size_t> to_replace = {};
};

Tally tally_pods(const JobFacts& job, Pods pods);

// The indexes of these pods.
Indexes indexes_of(Pods pods, const std::vector<size_t>& positions);

}  // namespace proa::controllers::jobs
