#include "controllers/workload/cron/cron_round.h"

#include <algorithm>

#include "api/validation/go_text.h"
#include "controllers/framework/writes.h"
#include "controllers/workload/job/job_facts.h"
#include "json/print.h"

namespace proa::controllers::cron {

using client::Again;
using client::Key;
using jobs::job_facts;

CronRound::CronRound(const CronTools& tools, api::ObjectPtr cron_job,
                     std::vector<api::ObjectPtr> jobs)
    : tools_(tools),
      object_(std::move(cron_job)),
      facts_(cron_facts(*object_)),
      jobs_(std::move(jobs)) {}

Result<Again> CronRound::run() {
  document_ = TRY(object_->document());
  // The cache is stale; the pending event requeues the key.
  if (TRY(is_outdated())) return Again{};
  remove_old_jobs();
  note_finished_jobs();
  Result<Again> outcome = start_due_job();
  TRY(write());
  return outcome;
}

void CronRound::tell(std::string_view reason, std::string message) const {
  tools_.context.events.normal(client::ObjectReference::to(*object_), reason, std::move(message));
}

void CronRound::warn(std::string_view reason, std::string message) const {
  tools_.context.events.warning(client::ObjectReference::to(*object_), reason, std::move(message));
}

// Whether an unfinished job is missing in status.active only because the cache is stale.
Result<bool> CronRound::is_outdated() {
  for (const api::ObjectPtr& job : jobs_) {
    if (!job_facts(*job).finished.empty() || is_active(job->metadata().uid)) continue;
    const auto now = tools_.context.client.get(place_of(tools_.resource, key()));
    if (now.is(Reason::kNotFound)) return true;
    if (!now) return now.status();
    if ((*now)->metadata().resource_version != object_->metadata().resource_version) return true;
    const std::optional<Time> scheduled = scheduled_time(*job);
    if (scheduled && !job->metadata().being_deleted) {
      // This controller created it and was killed before it wrote the status. Upstream only warns,
      // and starts another job when the next one is due.
      note_started(*job, *scheduled);
      continue;
    }
    warn("UnexpectedJob", "Saw a job that the controller did not create or forgot: " +
                              std::string(job->metadata().name));
  }
  return false;
}

bool CronRound::is_active(std::string_view uid) const {
  const auto active = api::View(document_.root())["status"]["active"].items();
  return std::any_of(active.begin(), active.end(),
                     [&](api::View one) { return one["uid"].text() == uid; });
}

void CronRound::forget_active(std::string_view uid) {
  json::Value left = json::Value::array();
  for (const api::View one : status()["active"].items()) {
    if (one["uid"].text() == uid) continue;
    left.push_back(document_.arena(), one.value()->copy(document_.arena()));
  }
  if (left.size() == 0) {
    status().remove("active");
  } else {
    status().set("active", std::move(left));
  }
}

void CronRound::remove_old_jobs() {
  remove_oldest("Complete", facts_.successful_limit);
  remove_oldest("Failed", facts_.failed_limit);
}

void CronRound::remove_oldest(std::string_view finished, std::optional<int64_t> limit) {
  if (!limit) return;
  // Sorts by start time and name; jobs that never started come last.
  std::vector<std::tuple<bool, std::string, std::string_view, const api::Object*>> found;
  for (const api::ObjectPtr& job : jobs_) {
    const jobs::JobFacts& facts = job_facts(*job);
    if (facts.finished != finished) continue;
    const std::string& began = facts.status.start_time;
    found.emplace_back(began.empty(), began, job->metadata().name, job.get());
  }
  std::sort(found.begin(), found.end());
  for (int64_t i = 0; i < std::ssize(found) - *limit; ++i) {
    const api::Object& job = *std::get<3>(found[static_cast<size_t>(i)]);
    if (job.metadata().being_deleted) continue;
    // A failed deletion is retried in a later reconcile.
    (void)remove_job(Key::of(job), std::string(job.metadata().uid));
  }
}

Result<void> CronRound::remove_job(const Key& job, const std::string& uid) {
  const api::ObjectPtr known = [&]() -> api::ObjectPtr {
    for (const api::ObjectPtr& one : jobs_) {
      if (one->metadata().uid == uid) return one;
    }
    return nullptr;
  }();
  Result<void> removed = unless_gone(
      tools_.context.client.remove(place_of(tools_.jobs_resource, job),
                                   {.uid = uid, .propagation = api::Propagation::kBackground}));
  if (known != nullptr) tools_.jobs_written.tried_to_remove(key(), *known, removed);
  if (!removed) {
    warn("FailedDelete", "Deleted job: " + removed.status().message());
    return removed;
  }
  forget_active(uid);
  tell("SuccessfulDelete", "Deleted job " + job.name);
  return {};
}

void CronRound::note_finished_jobs() {
  for (const api::ObjectPtr& job : jobs_) {
    const jobs::JobFacts& facts = job_facts(*job);
    if (facts.finished.empty()) continue;
    if (is_active(job->metadata().uid)) {
      forget_active(job->metadata().uid);
      tell("SawCompletedJob", "Saw completed job: " + std::string(job->metadata().name) +
                                  ", condition: " + facts.finished);
    }
    if (facts.finished == "Complete" && facts.completion_time) note_success(*facts.completion_time);
  }
}

void CronRound::note_success(Time completed) {
  const Result<Time> last = parse_time(status()["lastSuccessfulTime"].text());
  if (!last || completed > *last) status().set("lastSuccessfulTime", format_time(completed));
}

// A deleted run must not block later ones.
Result<void> CronRound::note_missing_jobs() {
  std::vector<std::pair<std::string, std::string>> missing;  // uid, name
  for (const api::View one : status()["active"].items()) {
    const std::string_view uid = one["uid"].text();
    const bool known = std::any_of(jobs_.begin(), jobs_.end(), [&](const api::ObjectPtr& job) {
      return job->metadata().uid == uid;
    });
    if (known) continue;
    const std::string name(one["name"].text());
    const auto now = tools_.context.client.get(
        place_of(tools_.jobs_resource, {std::string(one["namespace"].text()), name}));
    if (!now && !now.is(Reason::kNotFound)) return now.status();
    if (!now || (*now)->metadata().uid != uid) missing.emplace_back(uid, name);
  }
  for (const auto& [uid, name] : missing) {
    tell("MissingJob", "Active job went missing: " + name);
    forget_active(uid);
  }
  return {};
}

Result<Again> CronRound::start_due_job() {
  TRY(note_missing_jobs());
  if (object_->metadata().being_deleted) return Again{};
  const Result<Timetable> timetable = read_timetable(facts_);
  if (timetable.is(Reason::kNotFound)) {
    const std::string zone = facts_.time_zone.value_or("");
    warn("UnknownTimeZone",
         "invalid timeZone: " + api::quoted(zone) + ": " + timetable.status().message());
    return Again{};
  }
  if (facts_.suspended) return Again{};
  if (!timetable) {
    warn("UnparseableSchedule", "unparseable schedule: " + api::quoted(facts_.schedule) + " : " +
                                    timetable.status().message());
    return Again{};
  }
  if (facts_.schedule.find("TZ") != std::string::npos) {
    warn("UnsupportedSchedule",
         "CRON_TZ or TZ used in schedule " + api::quoted(facts_.schedule) +
             " is not officially supported, see "
             "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more "
             "details");
  }
  const Result<Due> due = find_due(*timetable, facts_.since_within_deadline(now()), now());
  if (!due) {
    warn("InvalidSchedule",
         "invalid schedule: " + facts_.schedule + " : " + due.status().message());
    return Again{};
  }
  if (!due->latest) return wait_for_next(*timetable);
  if (due->passed_over > kTooManyMissed) {
    warn("TooManyMissedTimes",
         "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check "
         "clock skew");
  }
  return start(*timetable, *due->latest);
}

Result<Again> CronRound::start(const Timetable& timetable, Time scheduled) {
  if (is_started(scheduled)) return wait_for_next(timetable);
  if (facts_.overlap == CronFacts::Overlap::kForbid && !status()["active"].empty()) {
    tell("JobAlreadyActive",
         "Not starting job because prior execution is running and concurrency policy is Forbid");
    return wait_for_next(timetable);
  }
  if (facts_.overlap == CronFacts::Overlap::kReplace) TRY(replace_active_jobs());
  const api::ObjectPtr job = TRY(create_job(timetable, scheduled));
  if (job != nullptr) note_started(*job, scheduled);
  return wait_for_next(timetable);
}

bool CronRound::is_started(Time scheduled) const {
  if (facts_.last_schedule == scheduled) return true;
  const std::string name = job_name(object_->metadata().name, scheduled);
  const auto active = api::View(document_.root())["status"]["active"].items();
  return std::any_of(active.begin(), active.end(),
                     [&](api::View one) { return one["name"].text() == name; });
}

Result<void> CronRound::replace_active_jobs() {
  std::vector<std::pair<Key, std::string>> active;
  for (const api::View one : status()["active"].items()) {
    active.emplace_back(Key{key().name_space, std::string(one["name"].text())}, one["uid"].text());
  }
  for (const auto& [job, uid] : active) TRY(remove_job(job, uid));
  return {};
}

// Null if another object has the name, or the namespace is terminating.
Result<api::ObjectPtr> CronRound::create_job(const Timetable& timetable, Time scheduled) {
  json::Document wanted = make_job(owner(), document_.root(), scheduled, timetable.zone);
  const client::BoundedClient& client = tools_.context.client;
  Result<api::ObjectPtr> created =
      client.create(place_of(tools_.jobs_resource, {key().name_space, ""}), std::move(wanted), {});
  tools_.jobs_written.tried(key(), created);
  if (created) {
    tell("SuccessfulCreate", "Created job " + std::string((*created)->metadata().name));
    return created;
  }
  if (is_namespace_terminating(created.status())) return api::ObjectPtr();
  if (!created.is(Reason::kAlreadyExists)) {
    warn("FailedCreate", "Error creating job: " + created.status().message());
    return created;
  }
  // Created before the controller was killed.
  const api::ObjectPtr there = TRY(client.get(place_of(
      tools_.jobs_resource, {key().name_space, job_name(object_->metadata().name, scheduled)})));
  for (const api::Metadata::Owner& one : there->metadata().owners) {
    if (one.controller && one.uid == object_->metadata().uid) return there;
  }
  return api::ObjectPtr();
}

void CronRound::note_started(const api::Object& job, Time scheduled) {
  const api::Metadata& metadata = job.metadata();
  if (!is_active(metadata.uid) && job_facts(job).finished.empty()) {
    const api::Edit reference = status().array("active").push_object();
    reference.set("apiVersion", tools_.jobs_resource.group_version());
    reference.set("kind", tools_.jobs_resource.type->name);
    reference.set("name", metadata.name);
    reference.set("namespace", metadata.name_space);
    reference.set("resourceVersion", metadata.resource_version);
    reference.set("uid", metadata.uid);
  }
  if (facts_.last_schedule && *facts_.last_schedule >= scheduled) return;
  status().set("lastScheduleTime", format_time(scheduled));
  facts_.last_schedule = scheduled;
}

Again CronRound::wait_for_next(const Timetable& timetable) const {
  return {time_to_next(timetable, facts_.since(), now()).value_or(Duration::zero())};
}

Result<void> CronRound::write() {
  const Result<api::ObjectPtr> written =
      write_status(tools_.context.client, tools_.resource, object_, std::move(document_));
  tools_.written.tried(key(), written);
  return unless_gone(written);
}

}  // namespace proa::controllers::cron
