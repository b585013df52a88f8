#pragma once

#include "controllers/framework/claim.h"
#include "controllers/workload/job/job_facts.h"

namespace proa::controllers::jobs {

// What a pod of an indexed job is made with.
struct PodIndex {
  int64_t index = 0;
  // With a limit for each index: how often it has failed already.
  std::optional<int64_t> failures = std::nullopt;
  int64_t ignored_failures = 0;
};

// A pod of the job that has not been counted. `job`: the whole object.
json::Document make_pod(const Owner& owner, api::View job, const std::optional<PodIndex>& index);

// For a pod that comes after `before`, if there was one.
PodIndex index_after(const JobFacts& job, int64_t index, const JobPod* before);

// "<job>-<index>-", shortened so that what is appended still fits.
std::string indexed_name_prefix(std::string_view job, int64_t index);

}  // namespace proa::controllers::jobs
