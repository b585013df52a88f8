#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/threads/pool.h"
#include "kubelet/runtime/images/keyring.h"

namespace proa::kubelet {

struct PullRequest {
  std::string reference = {};
  std::vector<PullKey> keys = {};  // tried in this order; none: anonymously
};

struct PullOutcome {
  // Empty on success. With several keys, the failures of all of them.
  std::string error = {};
  std::string image_ref = {};
  std::optional<cri::Image> image = {};  // as the runtime has it after the pull
  std::optional<PullKey> key = {};       // the one that was taken
  Duration took = {};

  bool ok() const { return error.empty(); }
};

// Pulls in the pool: a limited number at once, the others queued; one pull serves all waiters for
// the same image with the same keys. From any thread.
class PullJobs {
 public:
  using Done = std::function<void(const PullOutcome&)>;

  // Everything outlives it. `ended` is called for every pull before it counts as done and before
  // its waiters. Both run on a pool thread, under no lock.
  PullJobs(cri::Runtime& runtime, const Clock& clock, WorkerPool& pool, size_t most_at_once,
           std::function<void(const PullRequest&, const PullOutcome&)> ended)
      : runtime_(runtime),
        clock_(clock),
        pool_(pool),
        most_at_once_(std::max<size_t>(most_at_once, 1)),
        ended_(std::move(ended)) {}
  // Cancels running pulls and waits for them; queued ones are dropped silently.
  ~PullJobs();

  // `done` is called once, unless this is destroyed before.
  void pull(PullRequest request, const json::Value& sandbox_config, Done done) EXCLUDES(mutex_);
  // Whether that image is being pulled or queued, with any keys.
  bool is_pulling(const std::string& reference) const EXCLUDES(mutex_);

 private:
  struct Job {
    std::string id = {};
    PullRequest request = {};
    json::Document sandbox_config = {};
    std::vector<Done> done = {};
  };
  using JobPtr = std::shared_ptr<Job>;

  // Starts as many queued pulls as the limit allows.
  void begin_waiting() EXCLUDES(mutex_);
  void run(const JobPtr& job) EXCLUDES(mutex_);
  void end_running() EXCLUDES(mutex_);
  void finish(const JobPtr& job, const PullOutcome& outcome) EXCLUDES(mutex_);
  PullOutcome carry_out(const Job& job);

  cri::Runtime& runtime_;
  const Clock& clock_;
  WorkerPool& pool_;
  const size_t most_at_once_;
  const std::function<void(const PullRequest&, const PullOutcome&)> ended_;
  std::stop_source stop_;
  mutable Mutex mutex_;
  CondVar idle_;
  std::map<std::string, JobPtr> jobs_ GUARDED_BY(mutex_);  // by image and keys
  std::deque<JobPtr> waiting_ GUARDED_BY(mutex_);
  size_t running_ GUARDED_BY(mutex_) = 0;
};

}  // namespace proa::kubelet
