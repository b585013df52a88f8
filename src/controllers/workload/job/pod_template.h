#pragma once

#include "controllers/framework/claim.h"
#include "controllers/workload/job/job_facts.h"

namespace proa::controllers::jobs {

// The index of a new pod of an indexed job.
struct PodIndex {
  int64_t index = 0;
  // Earlier failures of the index, with backoffLimitPerIndex.
  std::optional<int64_t> failures = std::nullopt;
  int64_t ignored_failures = 0;
};

// A new pod with the tracking finalizer. `job`: the root of its document.
json::Document make_pod(const Owner& owner, api::View job, const std::optional<PodIndex>& index);

// For the successor of `before`, if there was one.
PodIndex index_after(const JobFacts& job, int64_t index, const JobPod* before);

// "<job>-<index>-", truncated so that a suffix fits.
std::string indexed_name_prefix(std::string_view job, int64_t index);

}  // namespace proa::controllers::jobs
