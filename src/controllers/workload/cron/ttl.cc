#include "controllers/workload/cron/ttl.h"

#include "controllers/framework/writes.h"
#include "controllers/workload/job/job_facts.h"

namespace proa::controllers {
namespace job_ttl {

using client::Again;
using client::Key;

bool will_go(const api::Object& job) {
  const jobs::JobFacts& facts = jobs::job_facts(job);
  return !facts.being_deleted && facts.finished_at && facts.spec.ttl_seconds_after_finished;
}

// REQUIRES: the job will expire.
Duration time_left(const api::Object& job, Time now) {
  const jobs::JobFacts& facts = jobs::job_facts(job);
  return *facts.finished_at + std::chrono::seconds(*facts.spec.ttl_seconds_after_finished) - now;
}

class FinishedJobs final : public Controller {
 public:
  explicit FinishedJobs(const ControllerContext& context)
      : client_(context.client),
        clock_(context.clock),
        resource_(*context.schema.find_resource("batch", "v1", "jobs")),
        jobs_(context.informers.of("batch", "jobs")) {}

  void listen(client::WorkQueue& queue) override {
    jobs_.add_handler([&queue](const client::Change& change) {
      if (change.after != nullptr && will_go(*change.after)) queue.add(change.key);
    });
  }

  Result<Again> reconcile(const Key& key) override {
    const api::ObjectPtr known = jobs_.cache().get(key);
    if (known == nullptr || !will_go(*known)) return Again{};
    const Duration left = time_left(*known, clock_.now());
    if (left > Duration::zero()) return Again{left};
    // The cache may be stale: the TTL may have been extended.
    const Result<api::ObjectPtr> now = client_.get(place_of(resource_, key));
    if (now.is(Reason::kNotFound)) return Again{};
    if (!now) return now.status();
    if (!will_go(**now) || time_left(**now, clock_.now()) > Duration::zero()) return Again{};
    const api::Metadata& metadata = (*now)->metadata();
    TRY(unless_gone(client_.remove(place_of(resource_, key),
                                   {.uid = std::string(metadata.uid),
                                    .resource_version = std::string(metadata.resource_version),
                                    .propagation = api::Propagation::kForeground})));
    return Again{};
  }

 private:
  const client::BoundedClient client_;
  Clock& clock_;
  const api::Resource& resource_;
  client::Informer& jobs_;
};

}  // namespace job_ttl

std::unique_ptr<Controller> make_finished_job_cleaner(const ControllerContext& context) {
  return std::make_unique<job_ttl::FinishedJobs>(context);
}

}  // namespace proa::controllers
