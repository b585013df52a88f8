#include "sim/scenarios/jobs/job_ledger.h"

namespace proa::sim {

using controllers::jobs::job_pod;

JobRecord* JobLedger::find(std::string_view uid) {
  const auto found = jobs_.find(std::string(uid));
  return found == jobs_.end() ? nullptr : &found->second;
}

void JobLedger::apply(const ObjectChange& one, Violations& violations) {
  if (one.resource == "jobs") apply_job(one, violations);
  if (one.resource == "pods") apply_pod(one, violations);
}

void JobLedger::apply_job(const ObjectChange& one, Violations& violations) {
  const std::string uid(one.object().metadata().uid);
  if (one.after == nullptr) {
    jobs_.erase(uid);
  } else if (one.before == nullptr) {
    jobs_.emplace(uid, JobRecord(one.after));
  } else {
    jobs_.at(uid).wrote(one.after, violations);
  }
}

void JobLedger::apply_pod(const ObjectChange& one, Violations& violations) {
  const std::string uid(one.object().metadata().uid);
  if (one.after == nullptr) {
    pods_.erase(uid);
    if (JobRecord* job = find(controller_uid(*one.before))) job->lost(*one.before);
    return;
  }
  pods_[uid] = one.after;
  const std::string_view owner = controller_uid(*one.after);
  JobRecord* job = find(owner);
  if (one.before == nullptr) {
    if (job != nullptr) job->made(one.after, violations);
    return;
  }
  const std::string_view former = controller_uid(*one.before);
  JobRecord* other = former == owner ? nullptr : find(former);
  if (other != nullptr) other->released(*one.after);
  if (job != nullptr) job->saw(one.after);
}

void JobLedger::check_rest(Violations& violations) const {
  for (const auto& [uid, job] : jobs_) job.check_rest(violations);
  for (const auto& [uid, pod] : pods_) {
    if (job_pod(*pod).tracked) {
      violations.push_back(job_pod(*pod).name + " never loses its finalizer");
    }
  }
}

}  // namespace proa::sim
