#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "controllers/workload/cron/cron_facts.h"
#include "sim/scenarios/checks.h"

namespace proa::sim {

// The true history of a CronJob and its jobs. Records a violation for each action that is wrong
// even with a stale cache.
class CronRecord {
 public:
  explicit CronRecord(api::ObjectPtr cron_job)
      : cron_job_(std::move(cron_job)), cacheable_{cron_job_} {}

  // The CronJob was changed by any writer.
  void wrote(const api::ObjectPtr& cron_job, Violations& violations);
  // A job of it was created, possibly by a user.
  void made(const api::ObjectPtr& job, Violations& violations);
  void saw(const api::ObjectPtr& job) { jobs_[std::string(job->metadata().uid)] = job; }
  // A job was deleted or orphaned.
  void lost(const api::Object& job) { jobs_.erase(std::string(job.metadata().uid)); }

  // After some minutes without interference: whether jobs were created on time.
  void check_pace(Time now, Violations& violations) const;
  // When the cluster is at rest.
  void check_rest(Violations& violations) const;

 private:
  const controllers::cron::CronFacts& facts() const {
    return controllers::cron::cron_facts(*cron_job_);
  }
  // Whether it holds in every state of the CronJob that the controller's cache may have.
  template <typename Judge>
  bool in_all_cacheable(const Judge& judge) const {
    for (const api::ObjectPtr& one : cacheable_) {
      if (!judge(controllers::cron::cron_facts(*one), one->metadata().being_deleted)) return false;
    }
    return true;
  }
  void check_time(const api::Object& job, Time scheduled, Violations& violations) const;
  void check_overlap(const api::Object& job, Violations& violations) const;
  std::set<std::string> active() const;

  api::ObjectPtr cron_job_;
  // States that the controller's cache may have. A status update succeeds only on the cached state,
  // which rules out older ones.
  std::vector<api::ObjectPtr> cacheable_;
  std::map<std::string, api::ObjectPtr> jobs_;  // by uid; existing ones
  std::set<std::string> made_;                  // uids of all that ever existed
  std::set<Time> scheduled_;                    // of those that the controller created
};

}  // namespace proa::sim
