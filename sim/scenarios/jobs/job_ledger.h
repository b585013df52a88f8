#pragma once

#include "sim/scenarios/jobs/happenings.h"
#include "sim/scenarios/jobs/job_record.h"

namespace proa::sim {

// All jobs and pods.
class JobLedger {
 public:
  void hear(const Happening& one, Complaints& complaints);
  // When nothing happens any more.
  void check_rest(Complaints& complaints) const;

 private:
  void hear_of_job(const Happening& one, Complaints& complaints);
  void hear_of_pod(const Happening& one, Complaints& complaints);
  JobRecord* find(std::string_view uid);

  std::map<std::string, JobRecord> jobs_;       // by uid; those that are there
  std::map<std::string, api::ObjectPtr> pods_;  // by uid; the same
};

}  // namespace proa::sim
