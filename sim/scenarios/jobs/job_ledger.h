#pragma once

#include "sim/scenarios/jobs/change_feed.h"
#include "sim/scenarios/jobs/job_record.h"

namespace proa::sim {

// All jobs and pods.
class JobLedger {
 public:
  void apply(const ObjectChange& one, Violations& violations);
  // When the cluster is at rest.
  void check_rest(Violations& violations) const;

 private:
  void apply_job(const ObjectChange& one, Violations& violations);
  void apply_pod(const ObjectChange& one, Violations& violations);
  JobRecord* find(std::string_view uid);

  std::map<std::string, JobRecord> jobs_;       // by uid; existing ones
  std::map<std::string, api::ObjectPtr> pods_;  // by uid; existing ones
};

}  // namespace proa::sim
