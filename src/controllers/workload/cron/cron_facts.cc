#include "controllers/workload/cron/cron_facts.h"

#include <algorithm>

#include "api/object/view.h"
#include "base/files.h"
#include "controllers/framework/times.h"
#include "controllers/workload/objects/cron_job.h"

namespace proa::controllers::cron {
namespace cron_facts_reader {

constexpr std::string_view kScheduledKey = "batch.kubernetes.io/cronjob-scheduled-timestamp";

CronFacts::Overlap overlap_of(std::string_view policy) {
  if (policy == "Forbid") return CronFacts::Overlap::kForbid;
  if (policy == "Replace") return CronFacts::Overlap::kReplace;
  return CronFacts::Overlap::kAllow;
}

CronFacts read(const api::Object& object) {
  CronFacts facts;
  Result<objects::CronJob> cron_job = api::decode<objects::CronJob>(object);
  if (!cron_job) return facts;
  objects::CronJobSpec& spec = cron_job->spec;
  facts.schedule = std::move(spec.schedule);
  facts.time_zone = std::move(spec.time_zone);
  facts.suspended = spec.suspend;
  facts.overlap = overlap_of(spec.concurrency_policy);
  facts.starting_deadline_seconds = spec.starting_deadline_seconds;
  facts.successful_limit = spec.successful_limit;
  facts.failed_limit = spec.failed_limit;
  facts.created = cron_job->metadata.created;
  facts.last_schedule = cron_job->status.last_schedule;
  return facts;
}

// A zone in the schedule (TZ=), which predates spec.timeZone, takes precedence.
std::optional<std::string> zone_name(const CronFacts& facts) {
  const std::string_view text = facts.schedule;
  const size_t equals = text.find('=');
  if (!text.starts_with("TZ=") && !text.starts_with("CRON_TZ=")) return facts.time_zone;
  return std::string(text.substr(equals + 1, text.find(' ') - equals - 1));
}

}  // namespace cron_facts_reader

Time CronFacts::since_within_deadline(Time now) const {
  if (!starting_deadline_seconds) return since();
  const int64_t allowed = std::min(*starting_deadline_seconds, kForeverSeconds);
  return std::max(since(), now - std::chrono::seconds(allowed));
}

const CronFacts& cron_facts(const api::Object& cron_job) {
  return cron_job.kept<CronFacts>([&] { return cron_facts_reader::read(cron_job); });
}

Result<Timetable> read_timetable(const CronFacts& facts) {
  Timetable timetable;
  SystemFiles files;
  if (const auto name = cron_facts_reader::zone_name(facts)) {
    timetable.zone = TRY(kinds::TimeZone::load(*name, files));
  }
  timetable.schedule = TRY(kinds::Schedule::parse(facts.schedule));
  return timetable;
}

std::string job_name(std::string_view cron_job, Time scheduled) {
  const auto minutes =
      std::chrono::duration_cast<std::chrono::minutes>(scheduled.time_since_epoch());
  return std::string(cron_job) + "-" + std::to_string(minutes.count());
}

std::optional<Time> scheduled_time(const api::Object& job) {
  const Result<json::Document> document = job.document();
  if (!document) return std::nullopt;
  const api::View annotations = api::View(document->root())["metadata"]["annotations"];
  return time_of(annotations[cron_facts_reader::kScheduledKey]);
}

json::Document make_job(const Owner& owner, api::View cron_job, Time scheduled,
                        const kinds::TimeZone& zone) {
  const api::View from = cron_job["spec"]["jobTemplate"];
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit job(document);
  job.set("apiVersion", "batch/v1");
  job.set("kind", "Job");
  const api::Edit metadata = job.object("metadata");
  metadata.set("name", job_name(owner.object.metadata().name, scheduled));
  metadata.set("namespace", owner.object.metadata().name_space);
  for (const char* field : {"labels", "annotations"}) {
    if (!from["metadata"][field].empty()) metadata.copy(field, from["metadata"][field]);
  }
  metadata.object("annotations")
      .set(cron_facts_reader::kScheduledKey, format_in_zone(scheduled, zone));
  put_owner_reference(metadata, owner);
  job.copy("spec", from["spec"]);
  return document;
}

}  // namespace proa::controllers::cron
