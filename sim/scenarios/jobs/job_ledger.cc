#include "sim/scenarios/jobs/job_ledger.h"

namespace proa::sim {

using controllers::jobs::job_pod;

JobRecord* JobLedger::find(std::string_view uid) {
  const auto found = jobs_.find(std::string(uid));
  return found == jobs_.end() ? nullptr : &found->second;
}

void JobLedger::hear(const Happening& one, Complaints& complaints) {
  if (one.resource == "jobs") hear_of_job(one, complaints);
  if (one.resource == "pods") hear_of_pod(one, complaints);
}

void JobLedger::hear_of_job(const Happening& one, Complaints& complaints) {
  const std::string uid(one.object().metadata().uid);
  if (one.after == nullptr) {
    jobs_.erase(uid);
  } else if (one.before == nullptr) {
    jobs_.emplace(uid, JobRecord(one.after));
  } else {
    jobs_.at(uid).wrote(one.after, complaints);
  }
}

void JobLedger::hear_of_pod(const Happening& one, Complaints& complaints) {
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
    if (job != nullptr) job->made(one.after, complaints);
    return;
  }
  const std::string_view former = controller_uid(*one.before);
  JobRecord* other = former == owner ? nullptr : find(former);
  if (other != nullptr) other->released(*one.after);
  if (job != nullptr) job->saw(one.after);
}

void JobLedger::check_rest(Complaints& complaints) const {
  for (const auto& [uid, job] : jobs_) job.check_rest(complaints);
  for (const auto& [uid, pod] : pods_) {
    if (job_pod(*pod).tracked) {
      complaints.push_back(job_pod(*pod).name + " never loses its finalizer");
    }
  }
}

}  // namespace proa::sim
