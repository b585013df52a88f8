#include "sim/scenarios/jobs/job_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "controllers/framework/conditions.h"
#include "sim/scenarios/jobs/verdict.h"

namespace proa::sim {
namespace job_record {

using controllers::jobs::Indexes;
using controllers::jobs::JobFacts;
using controllers::jobs::JobPod;
using controllers::jobs::JobStatus;

// Longer than any list of indexes here.
constexpr int64_t kMany = 1000;

bool same_status(const api::Object& a, const api::Object& b) {
  const json::Document one = a.document().value();
  const json::Document other = b.document().value();
  return api::View(one.root())["status"] == api::View(other.root())["status"];
}

int64_t known_successes(const JobStatus& status) {
  return status.succeeded + std::ssize(status.uncounted_succeeded);
}

// The number of pods that may be active in this state, given `succeeded`.
int64_t wanted_active(const JobFacts& job, int64_t succeeded) {
  if (job.spec.suspended || job.being_deleted) return 0;
  if (!job.spec.completions) return succeeded > 0 ? 0 : job.spec.parallelism;
  return std::clamp<int64_t>(*job.spec.completions - succeeded, 0, job.spec.parallelism);
}

Indexes completed_indexes(const JobStatus& status) {
  return Indexes::parse(status.completed_indexes, kMany);
}
Indexes failed_indexes(const JobStatus& status) {
  return Indexes::parse(status.failed_indexes.value_or(""), kMany);
}

bool contains(const std::vector<api::Uid>& all, const api::Uid& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool is_disrupted(const JobPod& pod) {
  return std::find(pod.conditions.begin(), pod.conditions.end(),
                   std::pair<std::string, std::string>("DisruptionTarget", "True")) !=
         pod.conditions.end();
}

bool has_exit(const JobPod& pod, int64_t code) {
  return std::any_of(pod.exits.begin(), pod.exits.end(),
                     [&](const JobPod::Exit& exit) { return exit.code == code; });
}

void expect_within(Violations& violations, std::string_view what, int64_t is, size_t least,
                   size_t most) {
  if (is >= static_cast<int64_t>(least) && is <= static_cast<int64_t>(most)) return;
  violations.push_back(fmt::format("{} is {}, and not between {} and {}", what, is, least, most));
}

void expect_no_less(Violations& violations, std::string_view what, int64_t before, int64_t after) {
  if (after < before) violations.push_back(fmt::format("{} fell to {}", what, after));
}

}  // namespace job_record

using controllers::jobs::Indexes;
using controllers::jobs::job_facts;
using controllers::jobs::job_pod;
using controllers::jobs::JobFacts;
using controllers::jobs::JobPod;
using controllers::jobs::JobStatus;
using job_record::completed_indexes;
using job_record::contains;
using job_record::expect_no_less;
using job_record::expect_within;
using job_record::failed_indexes;
using job_record::has_exit;

// An indexed job ignores pods without a valid index.
bool JobRecord::counts(const JobPod& pod) const {
  return !facts().spec.indexed || facts().spec.has_index(pod.index);
}

bool JobRecord::is_ignored(const JobPod& pod) const {
  if (!facts().spec.has_failure_policy) return false;
  return has_exit(pod, kIgnoredExitCode) || job_record::is_disrupted(pod);
}

bool JobRecord::wants(const api::Object& pod) const {
  return facts().spec.selector.matches(pod.metadata().labels);
}

std::set<int64_t> JobRecord::indexes_of(const std::set<api::Uid>& uids) const {
  std::set<int64_t> found;
  for (const api::Uid& uid : uids) found.insert(indexes_.at(uid));
  return found;
}

void JobRecord::saw(const api::ObjectPtr& pod) {
  const JobPod& is = job_pod(*pod);
  pods_[is.uid] = pod;
  indexes_[is.uid] = is.index.value_or(-1);
  restarts_[is.uid] = std::max(restarts_[is.uid], is.restarts);
  // It may be orphaned from now on.
  if (!wants(*pod)) orphans_pods_ = true;
  if (is.terminating()) failed_.insert(is.uid);
  if (is.ended() && ended_.insert(is.uid).second) note_end(is);
}

void JobRecord::note_end(const JobPod& pod) {
  // A pod that was stopped before may have been counted as failed, whatever its result.
  const bool sure = pod.tracked && !failed_.contains(pod.uid) && counts(pod);
  if (pod.succeeded()) {
    succeeded_.insert(pod.uid);
    if (sure) surely_succeeded_.insert(pod.uid);
    return;
  }
  failed_.insert(pod.uid);
  if (has_exit(pod, kFatalExitCode)) fatal_.insert(pod.uid);
  if (sure && !is_ignored(pod)) surely_failed_.insert(pod.uid);
}

void JobRecord::lost(const api::Object& pod) {
  const api::Uid uid(pod.metadata().uid);
  pods_.erase(uid);
  if (!ended_.contains(uid)) failed_.insert(uid);
}

void JobRecord::released(const api::Object& pod) {
  pods_.erase(api::Uid(pod.metadata().uid));
  orphans_pods_ = true;
}

int64_t JobRecord::allowed() const {
  int64_t most = 0;
  for (const api::ObjectPtr& job : cacheable_) {
    most = std::max(most, job_record::wanted_active(job_facts(*job),
                                                    job_record::known_successes(facts().status)));
  }
  return most;
}

void JobRecord::made(const api::ObjectPtr& pod, Violations& violations) {
  const JobPod& is = job_pod(*pod);
  if (!facts().finished.empty() || facts().ending) {
    violations.push_back(is.name + " was made for a job that has come to its end");
  }
  if (!is.tracked) violations.push_back(is.name + " was made without the finalizer");
  if (facts().spec.indexed) check_index(is, violations);
  int64_t active = 1;
  for (const auto& [uid, other] : pods_) {
    const JobPod& one = job_pod(*other);
    if (one.active() || (facts().spec.replaces_only_failed && one.terminating())) ++active;
  }
  if (active > allowed()) {
    violations.push_back(fmt::format("{} was made: {} pods where {} are wanted at most", is.name,
                                     active, allowed()));
  }
  saw(pod);
}

// A replacement for an index is created only if the controller knows that the previous pod is
// finished or deleted. For a pod that succeeded and was not stopped, it knows either that it runs
// or that it succeeded.
void JobRecord::check_index(const JobPod& pod, Violations& violations) const {
  const auto report = [&](std::string_view why) {
    violations.push_back(fmt::format("{} was made, whose index {}", pod.name, why));
  };
  if (!facts().spec.has_index(pod.index)) return report("the job does not have");
  for (const auto& [uid, other] : pods_) {
    const JobPod& one = job_pod(*other);
    const bool in_the_way =
        one.active() || (facts().spec.replaces_only_failed && one.terminating());
    if (in_the_way && one.index == pod.index) report("another one has: " + one.name);
  }
  if (completed_indexes(facts().status).has(*pod.index)) report("is completed");
  if (failed_indexes(facts().status).has(*pod.index)) report("has failed for good");
  if (!orphans_pods_ && indexes_of(surely_succeeded_).contains(*pod.index)) report("succeeded");
  if (!facts().spec.backoff_limit_per_index) return;
  if (pod.failures > *facts().spec.backoff_limit_per_index) report("has failed too often");
  int64_t failures = 0;
  for (const api::Uid& uid : failed_) {
    if (indexes_.at(uid) == *pod.index) ++failures;
  }
  if (pod.failures + pod.ignored_failures > failures) report("has not failed so often");
}

void JobRecord::wrote(const api::ObjectPtr& job, Violations& violations) {
  const api::ObjectPtr before = std::exchange(job_, job);
  if (job->metadata().being_deleted) orphans_pods_ = true;
  if (job_record::same_status(*before, *job)) {
    cacheable_.push_back(job);
    return;
  }
  cacheable_ = {job};
  check_status(job_facts(*before), violations);
  if (!facts().finished.empty() && job_facts(*before).finished.empty()) check_end(violations);
}

void JobRecord::check_status(const JobFacts& before, Violations& violations) {
  const JobStatus& was = before.status;
  const JobStatus& is = facts().status;
  if (!before.finished.empty()) violations.emplace_back("the status of a finished job was changed");
  if (before.ending && facts().ending != before.ending) {
    violations.push_back("the end was decided upon, but changed: " + before.ending->reason);
  }
  expect_no_less(violations, "succeeded", was.succeeded, is.succeeded);
  expect_no_less(violations, "failed", was.failed, is.failed);
  check_noted(was.uncounted_failed, is.uncounted_failed, failed_, is.failed - was.failed,
              violations);
  if (facts().spec.indexed) {
    check_indexes(before, violations);
  } else {
    check_noted(was.uncounted_succeeded, is.uncounted_succeeded, succeeded_,
                is.succeeded - was.succeeded, violations);
  }
  for (const api::Uid& uid : is.uncounted_succeeded) {
    if (contains(is.uncounted_failed, uid))
      violations.push_back(uid.str() + " succeeded, and failed as well");
  }
}

// A pod's uid is added to uncountedTerminatedPods once, when it has finished, and counted once,
// when its finalizer is removed.
void JobRecord::check_noted(const std::vector<api::Uid>& before, const std::vector<api::Uid>& after,
                            const std::set<api::Uid>& ended, int64_t risen,
                            Violations& violations) {
  int64_t left = 0;
  for (const api::Uid& uid : before) {
    if (contains(after, uid)) continue;
    ++left;
    counted_.insert(uid);
    const auto found = pods_.find(uid);
    if (found != pods_.end() && job_pod(*found->second).tracked && wants(*found->second)) {
      violations.push_back(job_pod(*found->second).name + " was counted, and has its finalizer");
    }
  }
  expect_equal(violations, "the number of those that were counted", risen, left);
  for (const api::Uid& uid : after) {
    if (!ended.contains(uid))
      violations.push_back(uid.str() + " was noted down, and did not end so");
    if (counted_.contains(uid))
      violations.push_back(uid.str() + " was counted, and is noted down again");
  }
}

void JobRecord::check_indexes(const JobFacts& before, Violations& violations) const {
  const Indexes now = completed_indexes(facts().status);
  const Indexes lost = failed_indexes(facts().status);
  expect_equal(violations, "succeeded", facts().status.succeeded, now.count());
  if (now.count_common(completed_indexes(before.status)) !=
      completed_indexes(before.status).count()) {
    violations.push_back("completed indexes were forgotten: " + before.status.completed_indexes);
  }
  if (lost.count_common(failed_indexes(before.status)) != failed_indexes(before.status).count()) {
    violations.push_back("failed indexes were forgotten: " + *before.status.failed_indexes);
  }
  if (now.count_common(lost) > 0) violations.emplace_back("an index succeeded, and failed as well");
  const std::set<int64_t> really = indexes_of(succeeded_);
  const std::set<int64_t> really_failed = indexes_of(failed_);
  for (int64_t index = 0; index < facts().spec.completions.value_or(0); ++index) {
    if (now.has(index) && !really.contains(index)) {
      violations.push_back(fmt::format("index {} is completed, but no pod of it is", index));
    }
    if (lost.has(index) && !really_failed.contains(index)) {
      violations.push_back(fmt::format("index {} has failed, but no pod of it has", index));
    }
  }
}

// Once all finished pods are counted.
void JobRecord::check_counters(Violations& violations) const {
  const JobStatus& status = facts().status;
  // Orphaned pods may or may not have been counted.
  const auto least = [&](const std::set<api::Uid>& sure) {
    return orphans_pods_ ? 0 : sure.size();
  };
  if (facts().spec.indexed) {
    const Indexes done = completed_indexes(status);
    for (const int64_t index : indexes_of(surely_succeeded_)) {
      if (!orphans_pods_ && !done.has(index)) {
        violations.push_back(fmt::format("index {} succeeded, but is not completed", index));
      }
    }
  } else {
    expect_within(violations, "succeeded", status.succeeded, least(surely_succeeded_),
                  succeeded_.size());
  }
  expect_within(violations, "failed", status.failed, least(surely_failed_), failed_.size());
  if (!status.all_counted()) violations.emplace_back("some pods are noted down, but not counted");
  expect_equal(violations, "status.active", status.active, 0);
  expect_equal(violations, "status.terminating", status.terminating.value_or(0), 0);
  expect_equal(violations, "status.ready", status.ready.value_or(0), 0);
}

void JobRecord::check_end(Violations& violations) const {
  check_counters(violations);
  int64_t restarts = 0;
  for (const auto& [uid, count] : restarts_) restarts += count;
  check_verdict(*job_, {.fatal_failure = !fatal_.empty(), .restarts = restarts}, violations);
  for (const auto& [uid, pod] : pods_) {
    const JobPod& is = job_pod(*pod);
    if (!wants(*pod)) continue;
    if (is.tracked) violations.push_back(is.name + " has its finalizer when the job is finished");
    if (is.active()) violations.push_back(is.name + " is active when the job is finished");
  }
}

void JobRecord::check_rest(Violations& violations) const {
  const JobFacts& job = facts();
  if (!job.finished.empty()) return;
  check_counters(violations);
  if (!job.spec.suspended && job.spec.parallelism > 0) {
    violations.push_back(fmt::format("{} is neither complete nor failed", job_->metadata().name));
  }
  const json::Document document = job_->document().value();
  const bool says = controllers::condition_holds(api::View(document.root())["status"], "Suspended");
  if (says != job.spec.suspended) violations.emplace_back("says wrongly whether it is suspended");
}

}  // namespace proa::sim
