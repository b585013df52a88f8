#pragma once

#include "controllers/framework/controller.h"
#include "controllers/framework/freshness.h"
#include "controllers/workload/cron/cron_facts.h"

namespace proa::controllers::cron {

// Shared by all rounds. Everything outlives them.
struct CronTools {
  const ControllerContext& context;
  const api::Resource& resource;  // cronjobs
  const api::Resource& jobs_resource;
  Freshness& jobs_written;
  Freshness& written;
};

// One reconcile of a CronJob: records finished jobs, deletes old ones, creates a job if one is due.
// REQUIRES: the caches contain earlier writes.
class CronRound {
 public:
  // `jobs`: the jobs that it controls.
  CronRound(const CronTools& tools, api::ObjectPtr cron_job, std::vector<api::ObjectPtr> jobs);

  Result<client::Again> run();

 private:
  Owner owner() const { return {tools_.resource, *object_}; }
  client::Key key() const { return client::Key::of(*object_); }
  Time now() const { return tools_.context.clock.now(); }
  api::Edit status() { return api::Edit(document_).object("status"); }
  void tell(std::string_view reason, std::string message) const;
  void warn(std::string_view reason, std::string message) const;

  Result<bool> is_outdated();
  bool is_active(std::string_view uid) const;
  void forget_active(std::string_view uid);

  void remove_old_jobs();
  void remove_oldest(std::string_view finished, std::optional<int64_t> limit);
  Result<void> remove_job(const client::Key& job, const std::string& uid);

  void note_finished_jobs();
  void note_success(Time completed);
  Result<void> note_missing_jobs();
  Result<client::Again> start_due_job();
  Result<client::Again> start(const Timetable& timetable, Time scheduled);
  bool is_started(Time scheduled) const;
  Result<void> replace_active_jobs();
  Result<api::ObjectPtr> create_job(const Timetable& timetable, Time scheduled);
  void note_started(const api::Object& job, Time scheduled);
  client::Again wait_for_next(const Timetable& timetable) const;
  Result<void> write();

  const CronTools& tools_;
  const api::ObjectPtr object_;
  CronFacts facts_;
  const std::vector<api::ObjectPtr> jobs_;
  json::Document document_;
};

}  // namespace proa::controllers::cron
