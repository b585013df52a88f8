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
  // Empty: it went well. Of several keys, what all of them brought about.
  std::string error = {};
  std::string image_ref = {};
  std::optional<cri::Image> image = {};  // as the runtime has it afterwards
  std::optional<PullKey> key = {};       // the one that was taken
  Duration took = {};

  bool ok() const { return error.empty(); }
};

// Pulls that go on in the pool: so many at once, the others in their order, and one for all who
// want the same image with the same keys. From any thread.
class PullJobs {
 public:
  using Done = std::function<void(const PullOutcome&)>;

  // Everything outlives it. `ended` hears of every pull before it counts as over, and before those
  // who wait for it. Both are called on a thread of the pool, under no lock.
  PullJobs(cri::Runtime& runtime, const Clock& clock, WorkerPool& pool, size_t most_at_once,
           std::function<void(const PullRequest&, const PullOutcome&)> ended)
      : runtime_(runtime),
        clock_(clock),
        pool_(pool),
        most_at_once_(std::max<size_t>(most_at_once, 1)),
        ended_(std::move(ended)) {}
  // Calls off what is under way and waits for it; nobody hears of what had not begun.
  ~PullJobs();

  // `done` is called once, unless we are destroyed before.
  void pull(PullRequest request, const json::Value& sandbox_config, Done done) EXCLUDES(mutex_);
  // Whether that image is being pulled, with whatever keys, or is about to be.
  bool is_pulling(const std::string& reference) const EXCLUDES(mutex_);

 private:
  struct Job {
    std::string id = {};
    PullRequest request = {};
    json::Document sandbox_config = {};
    std::vector<Done> done = {};
  };
  using JobPtr = std::shared_ptr<Job>;

  // Begins what may begin now.
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
  std::map<std::string, JobPtr> jobs_ GUARDED_BY(mutex_);  // by what they pull, and with what
  std::deque<JobPtr> waiting_ GUARDED_BY(mutex_);
  size_t running_ GUARDED_BY(mutex_) = 0;
};

}  // namespace proa::kubelet
