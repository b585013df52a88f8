#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "controllers/workload/cron/cron_facts.h"
#include "sim/scenarios/checks.h"

namespace proa::sim {

// One CronJob and its jobs as they really were. What its controller did that it must not, whatever
// it did not know, is a complaint.
class CronRecord {
 public:
  explicit CronRecord(api::ObjectPtr cron_job)
      : cron_job_(std::move(cron_job)), believed_{cron_job_} {}

  // The CronJob was changed, by whomever.
  void wrote(const api::ObjectPtr& cron_job, Complaints& complaints);
  // A job of it is new; users make some, too.
  void made(const api::ObjectPtr& job, Complaints& complaints);
  void saw(const api::ObjectPtr& job) { jobs_[std::string(job->metadata().uid)] = job; }
  // A job is gone, or not its own any more.
  void lost(const api::Object& job) { jobs_.erase(std::string(job.metadata().uid)); }

  // When it was left alone for some minutes: whether it did its work.
  void check_pace(Time now, Complaints& complaints) const;
  // When nothing happens any more.
  void check_rest(Complaints& complaints) const;

 private:
  const controllers::cron::CronFacts& facts() const {
    return controllers::cron::cron_facts(*cron_job_);
  }
  // Whether it is so in each state of the CronJob that the controller may take for the latest.
  template <typename Judge>
  bool surely(const Judge& judge) const {
    for (const api::ObjectPtr& one : believed_) {
      if (!judge(controllers::cron::cron_facts(*one), one->metadata().being_deleted)) return false;
    }
    return true;
  }
  void check_time(const api::Object& job, Time scheduled, Complaints& complaints) const;
  void check_overlap(const api::Object& job, Complaints& complaints) const;
  std::set<std::string> active() const;

  api::ObjectPtr cron_job_;
  // A status is written only upon the state that the controller knows: older ones are not believed
  // any more then.
  std::vector<api::ObjectPtr> believed_;
  std::map<std::string, api::ObjectPtr> jobs_;  // by uid; those that are there
  std::set<std::string> made_;                  // uids of all that there ever were
  std::set<Time> scheduled_;                    // of those that the controller made
};

}  // namespace proa::sim
