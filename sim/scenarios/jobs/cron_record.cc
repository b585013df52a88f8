#include "sim/scenarios/jobs/cron_record.h"

#include <fmt/format.h>

#include <optional>

#include "controllers/workload/job/job_facts.h"

namespace proa::sim {
namespace cron_record {

using controllers::cron::CronFacts;
using controllers::jobs::job_facts;
using std::chrono::seconds;

// Between two jobs of a schedule of every minute, with some time to be late.
constexpr Duration kLongestGap = seconds(70);

// For which time the controller made it; none for those of users.
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

// The schedules here are "* * * * *" and "*/2 * * * *".
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

void CronRecord::wrote(const api::ObjectPtr& cron_job, Complaints& complaints) {
  const api::ObjectPtr before = std::exchange(cron_job_, cron_job);
  const json::Document was = before->document().value();
  const json::Document is = cron_job->document().value();
  if (api::View(was.root())["status"] == api::View(is.root())["status"]) {
    believed_.push_back(cron_job);
    return;
  }
  believed_ = {cron_job};
  const std::optional<Time> last = facts().last_schedule;
  if (last < cron_facts(*before).last_schedule) complaints.emplace_back("lastScheduleTime fell");
  if (last && !scheduled_.contains(*last)) {
    complaints.push_back("no job was made at " + format_time(*last) + ", the lastScheduleTime");
  }
  for (const std::string& uid : active()) {
    if (!made_.contains(uid)) complaints.push_back(uid + " is active, and was never made");
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

void CronRecord::made(const api::ObjectPtr& job, Complaints& complaints) {
  made_.emplace(job->metadata().uid);
  if (const std::optional<Time> scheduled = scheduled_time(*job)) {
    check_time(*job, *scheduled, complaints);
    check_overlap(*job, complaints);
    scheduled_.insert(*scheduled);
  }
  saw(job);
}

void CronRecord::check_time(const api::Object& job, Time scheduled, Complaints& complaints) const {
  const std::string name(job.metadata().name);
  const Time now = cron_record::created(job);
  expect_equal(
      complaints, "the name of a job", name,
      fmt::format("{}-{}", cron_job_->metadata().name, cron_record::minutes_of(scheduled)));
  // One of that time may have been made and removed before anybody could write that down.
  if (facts().last_schedule && *facts().last_schedule >= scheduled) {
    complaints.push_back(name +
                         " was made, whose time is over: " + format_time(*facts().last_schedule));
  }
  if (scheduled > now || scheduled <= facts().created) {
    complaints.push_back(name + " was made for a time that is not its own");
  }
  const bool never =
      surely([](const CronFacts& facts, bool goes) { return facts.suspended || goes; });
  if (never) complaints.push_back(name + " was made while it is suspended, or goes");
  const bool unwanted = surely([&](const CronFacts& facts, bool) {
    const auto deadline = facts.starting_deadline_seconds;
    return !cron_record::fits(facts, scheduled) ||
           (deadline && now - scheduled > std::chrono::seconds(*deadline));
  });
  if (unwanted) complaints.push_back(name + " was made at a time that nobody asked for");
}

void CronRecord::check_overlap(const api::Object& job, Complaints& complaints) const {
  if (!surely([](const CronFacts& facts, bool) {
        return facts.overlap != CronFacts::Overlap::kAllow;
      })) {
    return;
  }
  for (const auto& [uid, other] : jobs_) {
    if (!scheduled_time(*other) || !is_at_work(*other)) continue;
    complaints.push_back(fmt::format("{} was made beside {}, which is not finished",
                                     job.metadata().name, other->metadata().name));
  }
}

void CronRecord::check_pace(Time now, Complaints& complaints) const {
  const std::optional<Time> last = facts().last_schedule;
  // It may have to wait for the one before.
  if (facts().overlap == CronFacts::Overlap::kForbid && !active().empty()) return;
  if (last && now - *last <= cron_record::kLongestGap) return;
  complaints.push_back("it does not make jobs any more, since " +
                       (last ? format_time(*last) : std::string("ever")));
}

void CronRecord::check_rest(Complaints& complaints) const {
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
      complaints.push_back(std::string(job->metadata().name) + " is later than lastScheduleTime");
    }
  }
  if (active() != at_work) complaints.emplace_back("status.active is not what is active");
  if (complete > facts().successful_limit.value_or(complete)) {
    complaints.push_back(fmt::format("{} complete jobs are kept", complete));
  }
  if (failed > facts().failed_limit.value_or(failed)) {
    complaints.push_back(fmt::format("{} failed jobs are kept", failed));
  }
}

}  // namespace proa::sim
