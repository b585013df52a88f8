#include "controllers/workload/job/round.h"

#include <algorithm>

#include "controllers/framework/conditions.h"
#include "controllers/framework/fan_out.h"
#include "controllers/framework/writes.h"
#include "controllers/workload/job/pod_template.h"

namespace proa::controllers::jobs {

Round::Round(const RoundTools& tools, api::ObjectPtr job)
    : tools_(tools), object_(std::move(job)), job_(job_facts(*object_)) {}

Result<client::Again> Round::run() {
  TRY(load());
  if (job_.status.start_time.empty() && !job_.spec.suspended) {
    job_.status.start_time = format_time(now());
  }
  end_ = judge_job(job_, tally_, facts_, now());
  if (const auto left = deadline_left(job_, now()); left && !end_) wait_for(*left);
  job_.status.active = std::ssize(tally_.active);
  job_.status.ready = tally_.ready;
  job_.status.terminating = tally_.terminating;
  const Result<void> acted = end_ ? end_pods() : run_pods();
  TRY(track());
  if (!acted) return acted.status();
  return client::Again{again_};
}

Result<void> Round::load() {
  document_ = TRY(object_->document());
  pods_ = TRY(tools_.ownership.gather(owner(), job_.spec.selector));
  for (const api::ObjectPtr& pod : pods_) facts_.push_back(&job_pod(*pod));
  tally_ = tally_pods(job_, facts_);
  backoff_ = backoff_now();
  return {};
}

PodBackoff Round::backoff_now() const {
  const auto times = [&](const std::vector<size_t>& positions) {
    std::vector<Time> ends;
    for (const size_t i : positions) ends.push_back(facts_[i]->finished_at);
    return ends;
  };
  const auto known = tools_.backoffs.find(key(), object_->metadata().uid);
  const PodBackoff before = known ? *known : recall_backoff(facts_);
  return before.after(times(tally_.new_succeeded), times(tally_.new_failed));
}

Round::Stopped Round::stop(const std::vector<size_t>& pods, bool counted) {
  std::vector<char> done(pods.size(), 0);  // each element is written by one thread
  FanOut stopped = fan_out(tools_.context.pool, pods.size(), [&](size_t i) -> Result<void> {
    const api::Object& pod = *pods_[pods[i]];
    TRY(counted ? tools_.ownership.stop(owner(), pod) : tools_.ownership.withdraw(owner(), pod));
    done[i] = 1;
    return {};
  });
  Stopped result{.outcome = std::move(stopped.outcome)};
  for (size_t i = 0; i < pods.size(); ++i) {
    if (done[i] == 0) continue;
    ++result.all;
    if (facts_[pods[i]]->ready) ++result.ready;
  }
  job_.status.active -= result.all;
  *job_.status.ready -= result.ready;
  *job_.status.terminating += result.all;
  return result;
}

Result<void> Round::end_pods() {
  const Stopped stopped = stop(tally_.active, true);
  // Not finished while pods still run.
  if (stopped.all != std::ssize(tally_.active)) end_.reset();
  return stopped.outcome;
}

Result<void> Round::run_pods() {
  Result<void> acted;
  if (!job_.being_deleted) {
    const GoesBefore before = [&](size_t a, size_t b) {
      return goes_before(pod_facts(*pods_[a]), 0, pod_facts(*pods_[b]), 0, now());
    };
    const PodPlan plan = plan_pods(job_, tally_, facts_, backoff_, now(), before);
    wait_for(plan.wait);
    acted = plan.remove.empty() ? create(plan) : stop(plan.remove, false).outcome;
  }
  end_ = judge_completion(job_, tally_, job_.status.active);
  if (!end_ && !job_.being_deleted) put_suspension();
  return acted;
}

Result<void> Round::create(const PodPlan& plan) {
  const FanOut created = fan_out(tools_.context.pool, plan.create, [&](size_t i) -> Result<void> {
    const Result<api::ObjectPtr> pod = create_one(plan, i);
    tools_.pods_written.tried(key(), pod);
    return pod ? Result<void>() : pod.status();
  });
  job_.status.active += static_cast<int64_t>(created.done);
  // Creation fails in a terminating namespace; no retry.
  if (!created.outcome && is_namespace_terminating(created.outcome.status())) return {};
  return created.outcome;
}

Result<api::ObjectPtr> Round::create_one(const PodPlan& plan, size_t number) {
  std::optional<PodIndex> index;
  if (job_.spec.indexed) {
    const auto before = tally_.to_replace.find(plan.indexes[number]);
    index = index_after(job_, plan.indexes[number],
                        before == tally_.to_replace.end() ? nullptr : facts_[before->second]);
  }
  return tools_.pod_control.create(owner(), make_pod(owner(), document_.root(), index));
}

// A job that was never suspended has no such condition.
void Round::put_suspension() {
  const api::Edit status = api::Edit(document_).object("status");
  if (job_.spec.suspended) {
    const Condition wanted{"Suspended", "True", "JobSuspended", "Job suspended"};
    if (!set_condition(status, wanted, now(), ConditionTimes::kTransitionAndProbe)) return;
    suspension_ = "Suspended";
    job_.status.start_time.clear();
  } else if (find_condition(status.view(), "Suspended")) {
    const Condition wanted{"Suspended", "False", "JobResumed", "Job resumed"};
    if (!set_condition(status, wanted, now(), ConditionTimes::kTransitionAndProbe)) return;
    suspension_ = "Resumed";
    // activeDeadlineSeconds starts over.
    job_.status.start_time = format_time(now());
  }
}

Result<void> Round::track() {
  count_untracked(job_.status, tracked_uids(facts_));
  const Release released = note_down(job_, tally_, facts_, end_, job_.status);
  put_ending();
  Result<void> outcome;
  if (!released.pods.empty()) {
    TRY(write());
    outcome = release(released.pods);
  }
  const bool over =
      end_ && outcome && released.all && job_.status.all_counted() && *job_.status.terminating == 0;
  if (over) put_end();
  TRY(write());
  if (over) record_end();
  return outcome;
}

Result<void> Round::release(const std::vector<size_t>& pods) {
  std::vector<char> done(pods.size(), 0);
  const FanOut all = fan_out(tools_.context.pool, pods.size(), [&](size_t i) -> Result<void> {
    TRY(tools_.ownership.remove_finalizer(key(), *pods_[pods[i]]));
    done[i] = 1;
    return {};
  });
  std::set<api::Uid> tracked = tracked_uids(facts_);
  for (size_t i = 0; i < pods.size(); ++i) {
    if (done[i] != 0) tracked.erase(facts_[pods[i]]->uid);
  }
  count_untracked(job_.status, tracked);
  return all.outcome;
}

// The result is recorded before pods that explain it are deleted.
void Round::put_ending() {
  if (!end_) return;
  const Condition wanted{end_->success ? "SuccessCriteriaMet" : "FailureTarget", "True",
                         end_->reason, end_->message};
  set_condition(api::Edit(document_).object("status"), wanted, now(),
                ConditionTimes::kTransitionAndProbe);
}

void Round::put_end() {
  // A job that was always suspended may have adopted pods.
  if (job_.status.start_time.empty()) job_.status.start_time = format_time(now());
  const api::Edit status = api::Edit(document_).object("status");
  const Condition wanted{end_->success ? "Complete" : "Failed", "True", end_->reason,
                         end_->message};
  set_condition(status, wanted, now(), ConditionTimes::kTransitionAndProbe);
  if (end_->success) status.set("completionTime", format_time(now()));
}

Result<void> Round::write() {
  put_status(api::Edit(document_).object("status"), job_.status);
  // A later write of this round edits the document again.
  const bool changed = TRY(status_changed(*object_, document_));
  const Result<api::ObjectPtr> answer =
      changed ? tools_.context.client.update(place_of(tools_.resource, key(), "status"),
                                             document_.copy(), {})
              : object_;
  tools_.jobs_written.tried(key(), answer);
  // The job is deleted; its pods are not counted.
  if (answer.is(Reason::kNotFound)) return {};
  const api::ObjectPtr written = TRY(answer);
  // New failures are recorded now.
  tools_.backoffs.keep(key(), object_->metadata().uid, backoff_);
  if (written == object_) return {};
  object_ = written;
  api::Edit(document_)
      .object("metadata")
      .set("resourceVersion", written->metadata().resource_version);
  if (suspension_ != nullptr) {
    const bool stopped = std::string_view(suspension_) == "Suspended";
    tools_.context.events.normal(client::ObjectReference::to(*object_), suspension_,
                                 stopped ? "Job suspended" : "Job resumed");
    suspension_ = nullptr;
  }
  return {};
}

void Round::record_end() const {
  client::EventRecorder& events = tools_.context.events;
  const auto about = client::ObjectReference::to(*object_);
  if (!end_->success) {
    events.warning(about, end_->reason, end_->message);
    return;
  }
  if (job_.spec.completions && job_.status.succeeded > *job_.spec.completions) {
    events.warning(about, "TooManySucceededPods",
                   "Too many succeeded pods running after completion count reached");
  }
  events.normal(about, "Completed", "Job completed");
}

void Round::wait_for(Duration time) {
  if (time <= Duration::zero()) return;
  again_ = again_ == Duration::zero() ? time : std::min(again_, time);
}

}  // namespace proa::controllers::jobs
