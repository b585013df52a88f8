#include "controllers/workload/job/jobs.h"

#include "controllers/framework/fan_out.h"
#include "controllers/framework/owners.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/workload/job/round.h"

namespace proa::controllers {
namespace jobs::job_controller {

using client::Again;
using client::Change;
using client::Key;

// Batches changes of pods: each would otherwise cause a reconcile of all pods and a status write.
class Gathering {
 public:
  void saw(const Key& key, size_t pods) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (pods >= kMany) {
      big_.insert(key);
    } else {
      big_.erase(key);
    }
  }
  Duration wait(const Key& key) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return big_.contains(key) ? kBatchPeriod : Duration::zero();
  }

 private:
  static constexpr size_t kMany = 50;
  // Upstream waits one second for every job.
  static constexpr Duration kBatchPeriod = std::chrono::milliseconds(200);

  mutable Mutex mutex_;
  std::set<Key> big_ GUARDED_BY(mutex_);
};

class Jobs final : public Controller {
 public:
  explicit Jobs(const ControllerContext& context)
      : context_(context),
        resource_(*context.schema.find_resource("batch", "v1", "jobs")),
        jobs_(context.informers.of("batch", "jobs")),
        pods_(context.informers.by_controller("", "pods")),
        pods_written_(pods_),
        jobs_written_(jobs_),
        ownership_(context_, pods_written_),
        pod_control_(context_),
        tools_{context_,      resource_,     ownership_, pod_control_,
               pods_written_, jobs_written_, backoffs_} {}

  void listen(client::WorkQueue& queue) override {
    jobs_.add_handler([this, &queue](const Change& change) { job_changed(change, queue); });
    pods_.add_handler([this, &queue](const Change& change) { pod_changed(change, queue); });
  }

  Result<Again> reconcile(const Key& key) override {
    if (const auto pod = pod_of_orphan_key(key)) {
      TRY(ownership_.remove_orphan_finalizer(*pod));
      return Again{};
    }
    const api::ObjectPtr job = jobs_.cache().get(key);
    if (job == nullptr) return forget(key);
    const JobFacts& facts = job_facts(*job);
    if (facts.spec.managed_elsewhere) return Again{};
    if (!jobs_written_.is_fresh(key) || !pods_written_.is_fresh(key)) return kNotYet;
    if (!facts.finished.empty()) return remove_finalizers(key, *job);
    if (!facts.spec.known_mode) {
      context_.events.warning(client::ObjectReference::to(*job), "UnknownCompletionMode",
                              "Skipped Job sync because completion mode is unknown");
      return Again{};
    }
    Round round(tools_, job);
    Result<Again> outcome = round.run();
    gathering_.saw(key, round.pods());
    return outcome;
  }

 private:
  Again forget(const Key& key) {
    backoffs_.forget(key);
    pods_written_.forget(key);
    jobs_written_.forget(key);
    gathering_.saw(key, 0);
    return {};
  }

  // Removes finalizers of pods that a finished job will not count.
  Result<Again> remove_finalizers(const Key& key, const api::Object& job) {
    std::vector<api::ObjectPtr> left = ownership_.owned_by(job);
    std::erase_if(left, [](const api::ObjectPtr& pod) { return !job_pod(*pod).tracked; });
    TRY(fan_out(context_.pool, left.size(), [&](size_t i) {
          return ownership_.remove_finalizer(key, *left[i]);
        }).outcome);
    if (left.empty()) forget(key);
    return Again{};
  }

  void job_changed(const Change& change, client::WorkQueue& queue) {
    const api::Object* before = change.before.get();
    const api::Object* after = change.after.get();
    const bool same =
        before != nullptr && after != nullptr && before->metadata().uid == after->metadata().uid;
    if (before != nullptr && !same) {
      for (const api::ObjectPtr& pod : ownership_.owned_by(*before)) {
        if (pod->metadata().has_finalizers) queue.add(orphan_key(pod_key(*pod)));
      }
    }
    const bool only_status = same && before->metadata().generation == after->metadata().generation;
    queue.add_after(change.key, only_status ? gathering_.wait(change.key) : Duration::zero());
  }

  void pod_changed(const Change& change, client::WorkQueue& queue) {
    const api::Metadata::Owner* before = controller_of(change.before, "Job");
    const api::Metadata::Owner* after = controller_of(change.after, "Job");
    const bool stayed = before != nullptr && after != nullptr && before->uid == after->uid;
    if (stayed && job_pod(*change.before) == job_pod(*change.after) &&
        change.before->metadata().labels == change.after->metadata().labels) {
      return;
    }
    if (before != nullptr && !stayed) add_job(*before, change, queue);
    if (after != nullptr) {
      if (!add_job(*after, change, queue) && change.after->metadata().has_finalizers) {
        queue.add(orphan_key(pod_key(*change.after)));
      }
    } else if (change.after != nullptr && controller_of(*change.after) == nullptr) {
      orphan_changed(change, queue);
    }
  }

  // False if the job does not exist any more.
  bool add_job(const api::Metadata::Owner& owner, const Change& change, client::WorkQueue& queue) {
    const Key key{change.key.name_space, std::string(owner.name)};
    const api::ObjectPtr job = jobs_.cache().get(key);
    if (job == nullptr || job->metadata().uid != owner.uid) return false;
    queue.add_after(key, gathering_.wait(key));
    return true;
  }

  void orphan_changed(const Change& change, client::WorkQueue& queue) {
    const api::Metadata& metadata = change.after->metadata();
    if (metadata.has_finalizers) queue.add(orphan_key(pod_key(*change.after)));
    if (metadata.being_deleted || metadata.labels.empty()) return;
    const bool news = change.before == nullptr || controller_of(*change.before) != nullptr ||
                      change.before->metadata().labels != metadata.labels;
    if (!news) return;
    for (const api::ObjectPtr& job : jobs_.cache().list(change.key.name_space)) {
      if (job_facts(*job).spec.selector.matches(metadata.labels)) queue.add(Key::of(*job));
    }
  }

  const ControllerContext context_;
  const api::Resource& resource_;
  client::Informer& jobs_;
  client::Informer& pods_;
  Freshness pods_written_;
  Freshness jobs_written_;
  PodOwnership ownership_;
  PodControl pod_control_;
  PodBackoffs backoffs_;
  Gathering gathering_;
  const RoundTools tools_;
};

}  // namespace jobs::job_controller

std::unique_ptr<Controller> make_job_controller(const ControllerContext& context) {
  return std::make_unique<jobs::job_controller::Jobs>(context);
}

}  // namespace proa::controllers
