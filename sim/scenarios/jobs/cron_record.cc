#include "sim/scenarios/jobs/cron_record.h"

#include <fmt/format.h>

#include <optional>

#include "controllers/workload/job/job_facts.h"

namespace proa::sim {
namespace cron_record {

using controllers::cron::CronFacts;
using controllers::jobs::job_facts;
using std::chrono::seconds;

// Maximum gap between jobs of an every-minute schedule, with some slack.
constexpr Duration kMaxGap = seconds(70);

// The scheduled time; nullopt for jobs created by users.
std::optional<Time> scheduled_time(const api::Object& job) {
  const json::Document document = job.document().value();
  const api::View annotations = api::View(document.root())["metadata"]["annotations"];
  const Result<Time> time =
      parse_time(annotations["batch.kubernetes.io/cronjob-scheduled-timestamp"].text());
  return time ? std::optional(*time) : std::nullopt;
}

Time created(const api::Object& object) {
  return parse_time(text_at(object, "metadata.creationTimestamp")).value();
}

int64_t minutes_of(Time time) {
  return std::chrono::duration_cast<std::chrono::minutes>(time.time_since_epoch()).count();
}

// Schedules are "* * * * *" and "*/2 * * * *".
bool fits(const CronFacts& facts, Time time) {
  return facts.schedule.starts_with("* ") || minutes_of(time) % 2 == 0;
}

bool is_at_work(const api::Object& job) {
  return job_facts(job).finished.empty() && !job.metadata().being_deleted;
}

}  // namespace cron_record

using controllers::cron::cron_facts;
using controllers::cron::CronFacts;
using controllers::jobs::job_facts;
using cron_record::is_at_work;
using cron_record::scheduled_time;

void CronRecord::wrote(const api::ObjectPtr& cron_job, Violations& violations) {
  const api::ObjectPtr before = std::exchange(cron_job_, cron_job);
  const json::Document was = before->document().value();
  const json::Document is = cron_job->document().value();
  if (api::View(was.root())["status"] == api::View(is.root())["status"]) {
    cacheable_.push_back(cron_job);
    return;
  }
  cacheable_ = {cron_job};
  const std::optional<Time> last = facts().last_schedule;
  if (last < cron_facts(*before).last_schedule) violations.emplace_back("lastScheduleTime fell");
  if (last && !scheduled_.contains(*last)) {
    violations.push_back("no job was made at " + format_time(*last) + ", the lastScheduleTime");
  }
  for (const std::string& uid : active()) {
    if (!made_.contains(uid)) violations.push_back(uid + " is active, and was never made");
  }
}

std::set<std::string> CronRecord::active() const {
  const json::Document document = cron_job_->document().value();
  std::set<std::string> uids;
  for (const api::View one : api::View(document.root())["status"]["active"].items()) {
    uids.emplace(one["uid"].text());
  }
  return uids;
}

void CronRecord::made(const api::ObjectPtr& job, Violations& violations) {
  made_.emplace(job->metadata().uid);
  if (const std::optional<Time> scheduled = scheduled_time(*job)) {
    check_time(*job, *scheduled, violations);
    check_overlap(*job, violations);
    scheduled_.insert(*scheduled);
  }
  saw(job);
}

void CronRecord::check_time(const api::Object& job, Time scheduled, Violations& violations) const {
  const std::string name(job.metadata().name);
  const Time now = cron_record::created(job);
  expect_equal(
      violations, "the name of a job", name,
      fmt::format("{}-{}", cron_job_->metadata().name, cron_record::minutes_of(scheduled)));
  // A job for that time may have been created and deleted before the status was written.
  if (facts().last_schedule && *facts().last_schedule >= scheduled) {
    violations.push_back(name +
                         " was made, whose time is over: " + format_time(*facts().last_schedule));
  }
  if (scheduled > now || scheduled <= facts().created) {
    violations.push_back(name + " was made for a time that is not its own");
  }
  const bool never =
      in_all_cacheable([](const CronFacts& facts, bool goes) { return facts.suspended || goes; });
  if (never) violations.push_back(name + " was made while it is suspended, or goes");
  const bool unwanted = in_all_cacheable([&](const CronFacts& facts, bool) {
    const auto deadline = facts.starting_deadline_seconds;
    return !cron_record::fits(facts, scheduled) ||
           (deadline && now - scheduled > std::chrono::seconds(*deadline));
  });
  if (unwanted) violations.push_back(name + " was made at a time that nobody asked for");
}

void CronRecord::check_overlap(const api::Object& job, Violations& violations) const {
  if (!in_all_cacheable([](const CronFacts& facts, bool) {
        return facts.overlap != CronFacts::Overlap::kAllow;
      })) {
    return;
  }
  for (const auto& [uid, other] : jobs_) {
    if (!scheduled_time(*other) || !is_at_work(*other)) continue;
    violations.push_back(fmt::format("{} was made beside {}, which is not finished",
                                     job.metadata().name, other->metadata().name));
  }
}

void CronRecord::check_pace(Time now, Violations& violations) const {
  const std::optional<Time> last = facts().last_schedule;
  // It may have to wait for the previous one.
  if (facts().overlap == CronFacts::Overlap::kForbid && !active().empty()) return;
  if (last && now - *last <= cron_record::kMaxGap) return;
  violations.push_back("it does not make jobs any more, since " +
                       (last ? format_time(*last) : std::string("ever")));
}

void CronRecord::check_rest(Violations& violations) const {
  int64_t complete = 0;
  int64_t failed = 0;
  std::set<std::string> at_work;
  for (const auto& [uid, job] : jobs_) {
    const auto& is = job_facts(*job);
    if (is.finished == "Complete") ++complete;
    if (is.finished == "Failed") ++failed;
    const std::optional<Time> scheduled = scheduled_time(*job);
    if (scheduled && is_at_work(*job)) at_work.insert(uid);
    if (scheduled && (!facts().last_schedule || *scheduled > *facts().last_schedule)) {
      violations.push_back(std::string(job->metadata().name) + " is later than lastScheduleTime");
    }
  }
  if (active() != at_work) violations.emplace_back("status.active is not what is active");
  if (complete > facts().successful_limit.value_or(complete)) {
    violations.push_back(fmt::format("{} complete jobs are kept", complete));
  }
  if (failed > facts().failed_limit.value_or(failed)) {
    violations.push_back(fmt::format("{} failed jobs are kept", failed));
  }
}

}  // namespace proa::sim
