#include "kubelet/runtime/images/pull_jobs.h"

#include <algorithm>

#include "base/strings.h"
#include "kubelet/runtime/cri/failure_text.h"

namespace proa::kubelet {
namespace pull_jobs {

std::string id_of(const PullRequest& request) {
  std::string id = request.reference;
  for (const PullKey& key : request.keys) id += "\n" + key.hash + " " + key.secret_uid.str();
  return id;
}

// As Go prints several errors at once.
std::string all_of(std::vector<std::string> errors) {
  std::vector<std::string> unique;
  for (auto& error : errors) {
    if (std::find(unique.begin(), unique.end(), error) == unique.end()) {
      unique.push_back(std::move(error));
    }
  }
  return unique.size() == 1 ? unique.front() : "[" + join(unique, ", ") + "]";
}

}  // namespace pull_jobs

PullJobs::~PullJobs() {
  stop_.request_stop();
  MutexLock lock(mutex_);
  waiting_.clear();
  while (running_ > 0) idle_.wait(mutex_);
}

void PullJobs::pull(PullRequest request, const json::Value& sandbox_config, Done done) {
  std::string id = pull_jobs::id_of(request);
  {
    MutexLock lock(mutex_);
    JobPtr& job = jobs_[id];
    if (job == nullptr) {
      job = std::make_shared<Job>();
      job->id = std::move(id);
      job->request = std::move(request);
      json::Arena arena;
      json::Value root = sandbox_config.copy(arena);
      job->sandbox_config = json::Document(std::move(arena), std::move(root));
      waiting_.push_back(job);
    }
    job->done.push_back(std::move(done));
  }
  begin_waiting();
}

bool PullJobs::is_pulling(const std::string& reference) const {
  MutexLock lock(mutex_);
  return std::any_of(jobs_.begin(), jobs_.end(),
                     [&](const auto& job) { return job.second->request.reference == reference; });
}

void PullJobs::begin_waiting() {
  while (true) {
    JobPtr job;
    {
      MutexLock lock(mutex_);
      if (stop_.stop_requested() || waiting_.empty() || running_ >= most_at_once_) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
      ++running_;
    }
    if (pool_.submit([this, job] { run(job); })) continue;
    PullOutcome outcome;
    outcome.error = "no thread is available to pull the image";
    finish(job, outcome);
    end_running();
  }
}

void PullJobs::run(const JobPtr& job) {
  finish(job, carry_out(*job));
  // Counts the next job before this one ends, so that the destructor waits for both.
  JobPtr next;
  {
    MutexLock lock(mutex_);
    if (!stop_.stop_requested() && !waiting_.empty()) {
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
  }
  if (next != nullptr && pool_.submit([this, next] { run(next); })) return;
  if (next != nullptr) return run(next);
  end_running();
}

void PullJobs::end_running() {
  MutexLock lock(mutex_);
  --running_;
  idle_.notify_all();
}

void PullJobs::finish(const JobPtr& job, const PullOutcome& outcome) {
  if (!stop_.stop_requested()) ended_(job->request, outcome);
  std::vector<Done> done;
  {
    MutexLock lock(mutex_);
    done = std::move(job->done);
    jobs_.erase(job->id);
  }
  if (stop_.stop_requested()) return;
  for (const Done& call : done) call(outcome);
}

PullOutcome PullJobs::carry_out(const Job& job) {
  PullOutcome outcome;
  const Steady began = clock_.steady();
  Until until;
  until.stop = stop_.get_token();
  std::vector<PullKey> keys = job.request.keys;
  const bool is_anonymous = keys.empty();
  if (is_anonymous) keys.emplace_back();
  std::vector<std::string> errors;
  for (PullKey& key : keys) {
    auto pulled = runtime_.pull_image(job.request.reference, key.credentials,
                                      job.sandbox_config.root(), until);
    if (!pulled.ok()) {
      errors.push_back(cri::pull_failure_text(pulled.status()));
      continue;
    }
    outcome.image_ref = std::move(*pulled);
    if (!is_anonymous) outcome.key = std::move(key);
    auto image = runtime_.image(job.request.reference, until);
    if (image.ok()) outcome.image = std::move(*image);
    outcome.took = clock_.steady() - began;
    return outcome;
  }
  outcome.error = pull_jobs::all_of(std::move(errors));
  outcome.took = clock_.steady() - began;
  return outcome;
}

}  // namespace proa::kubelet
