#include "controllers/workload/cron/cron_jobs.h"

#include "controllers/framework/owners.h"
#include "controllers/workload/cron/cron_round.h"
#include "controllers/workload/job/job_facts.h"

namespace proa::controllers {
namespace cron::cron_controller {

using client::Again;
using client::Change;
using client::Key;

// Progress of a job does not matter to its CronJob.
bool looks_the_same(const api::Object& a, const api::Object& b) {
  const jobs::JobFacts& facts = jobs::job_facts(a);
  const jobs::JobFacts& other = jobs::job_facts(b);
  return facts.finished == other.finished && facts.being_deleted == other.being_deleted &&
         facts.completion_time == other.completion_time;
}

class CronJobs final : public Controller {
 public:
  explicit CronJobs(const ControllerContext& context)
      : context_(context),
        resource_(*context.schema.find_resource("batch", "v1", "cronjobs")),
        cron_jobs_(context.informers.of("batch", "cronjobs")),
        jobs_(context.informers.by_controller("batch", "jobs")),
        jobs_written_(jobs_),
        written_(cron_jobs_),
        tools_{context_, resource_, *context.schema.find_resource("batch", "v1", "jobs"),
               jobs_written_, written_} {}

  void listen(client::WorkQueue& queue) override {
    cron_jobs_.add_handler([this, &queue](const Change& change) { hear(change, queue); });
    jobs_.add_handler([&queue](const Change& change) {
      const api::Metadata::Owner* before = controller_of(change.before, "CronJob");
      const api::Metadata::Owner* after = controller_of(change.after, "CronJob");
      if (before != nullptr && after != nullptr && before->uid == after->uid &&
          looks_the_same(*change.before, *change.after)) {
        return;
      }
      for (const api::Metadata::Owner* owner : {before, after}) {
        if (owner != nullptr) queue.add({change.key.name_space, std::string(owner->name)});
      }
    });
  }

  Result<Again> reconcile(const Key& key) override {
    const api::ObjectPtr cron_job = cron_jobs_.cache().get(key);
    if (cron_job == nullptr) {
      jobs_written_.forget(key);
      written_.forget(key);
      return Again{};
    }
    if (!written_.is_fresh(key) || !jobs_written_.is_fresh(key)) return kNotYet;
    const std::string uid(cron_job->metadata().uid);
    return CronRound(tools_, cron_job, jobs_.cache().find("controller", uid)).run();
  }

 private:
  // After a change of the schedule, runs that the new one would have had are not made up.
  void hear(const Change& change, client::WorkQueue& queue) {
    const bool changed = change.before != nullptr && change.after != nullptr &&
                         !cron_facts(*change.after).same_times(cron_facts(*change.before));
    if (changed) {
      const CronFacts& facts = cron_facts(*change.after);
      if (const Result<Timetable> timetable = read_timetable(facts)) {
        const auto wait = time_to_next(*timetable, facts.since(), context_.clock.now());
        if (wait) queue.add_after(change.key, *wait);
        return;
      }
    }
    queue.add(change.key);
  }

  const ControllerContext context_;
  const api::Resource& resource_;
  client::Informer& cron_jobs_;
  client::Informer& jobs_;
  Freshness jobs_written_;
  Freshness written_;
  const CronTools tools_;
};

}  // namespace cron::cron_controller

std::unique_ptr<Controller> make_cron_job_controller(const ControllerContext& context) {
  return std::make_unique<cron::cron_controller::CronJobs>(context);
}

}  // namespace proa::controllers
