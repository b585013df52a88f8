#include "controllers/node/taint_eviction.h"

#include <unordered_map>

#include "controllers/framework/conditions.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "controllers/node/node_facts.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/pods/pods_by_node.h"

namespace proa::controllers {
namespace nodes::taint_eviction {

using api::Edit;
using api::ObjectPtr;
using client::Again;
using client::Key;

// A pod that tolerates the taints for a limited time.
struct Countdown {
  api::Uid uid;
  Steady end;
};

// Keys are pods. Countdowns restart with each leader, as upstream's do: while no leader could
// remove taints, nodes may have recovered.
class TaintEviction final : public Controller {
 public:
  explicit TaintEviction(const ControllerContext& context)
      : client_(context.client),
        events_(context.events),
        clock_(context.clock),
        resource_(*context.schema.find_resource("", "v1", "pods")),
        nodes_(context.informers.of("", "nodes")),
        pods_(pods_by_node(context.informers)),
        evicted_(pods_) {}

  size_t workers() const override { return 8; }

  // The later event, of the pod or the taint, finds the other one in the cache.
  void listen(client::WorkQueue& queue) override {
    nodes_.add_handler([this, &queue](const client::Change& change) {
      if (no_execute(change.before) == no_execute(change.after)) return;
      for (const ObjectPtr& pod : pods_.cache().find("node", change.key.name))
        queue.add(Key::of(*pod));
    });
    pods_.add_handler([this, &queue](const client::Change& change) {
      if (is_counting(change.key) || is_on_tainted_node(change.after)) queue.add(change.key);
    });
  }

  Result<Again> reconcile(const Key& key) override {
    const ObjectPtr pod = pods_.cache().get(key);
    if (pod == nullptr || pod->metadata().being_deleted) {
      cancel(key);
      evicted_.forget(key);
      return Again{};
    }
    if (!evicted_.is_fresh(key)) return kNotYet;
    cancel_earlier_pod(key, *pod);
    const ObjectPtr node = nodes_.cache().get({"", pod_facts(*pod).node.str()});
    // The node is deleted; a running countdown continues.
    if (node == nullptr) return wait_for_end(key, pod);
    const std::optional<Duration> stay =
        kinds::pods::may_stay(kinds::pods::tolerations_of(*pod), node_facts(*node).no_execute);
    if (!stay) {
      cancel(key);
      return Again{};
    }
    if (*stay == Duration::zero()) {
      cancel(key);
      return evict(key, pod);
    }
    begin_countdown(key, *pod, *stay);
    return wait_for_end(key, pod);
  }

 private:
  static std::vector<Taint> no_execute(const ObjectPtr& node) {
    return node == nullptr ? std::vector<Taint>() : node_facts(*node).no_execute;
  }

  bool is_on_tainted_node(const ObjectPtr& pod) const {
    if (pod == nullptr || pod->metadata().being_deleted) return false;
    const std::string& name = pod_facts(*pod).node.str();
    if (name.empty()) return false;
    return !no_execute(nodes_.cache().get({"", name})).empty();
  }

  bool is_counting(const Key& key) {
    MutexLock lock(mutex_);
    return countdowns_.contains(key);
  }

  // A running countdown is kept even if the toleration changed, as in upstream's processPodOnNode.
  void begin_countdown(const Key& key, const api::Object& pod, Duration stay) {
    MutexLock lock(mutex_);
    countdowns_.try_emplace(
        key, Countdown{.uid = api::Uid(pod.metadata().uid), .end = clock_.steady() + stay});
  }

  Result<Again> wait_for_end(const Key& key, const ObjectPtr& pod) {
    Duration left{0};
    {
      MutexLock lock(mutex_);
      const auto found = countdowns_.find(key);
      if (found == countdowns_.end()) return Again{};
      left = found->second.end - clock_.steady();
    }
    if (left > Duration::zero()) return Again{left};
    return evict(key, pod);
  }

  // Cancels the countdown of an earlier pod with this name.
  void cancel_earlier_pod(const Key& key, const api::Object& pod) {
    {
      MutexLock lock(mutex_);
      const auto found = countdowns_.find(key);
      if (found == countdowns_.end() || found->second.uid == pod.metadata().uid) return;
    }
    cancel(key);
  }

  void cancel(const Key& key) {
    {
      MutexLock lock(mutex_);
      if (countdowns_.erase(key) == 0) return;
    }
    record(key, "Cancelling deletion of Pod " + key.str());
  }

  Result<Again> evict(const Key& key, const ObjectPtr& pod) {
    TRY(set_disruption_target(pod));
    const Result<void> removed =
        client_.remove(place_of(resource_, key), {.uid = std::string(pod->metadata().uid)});
    // kConflict: another pod has this name, and its event is pending.
    if (!removed && !removed.is(Reason::kNotFound) && !removed.is(Reason::kConflict)) {
      return removed.status();
    }
    record(key, "Marking for deletion Pod " + key.str());
    evicted_.removed(key, *pod);
    MutexLock lock(mutex_);
    countdowns_.erase(key);
    return Again{};
  }

  Result<void> set_disruption_target(const ObjectPtr& pod) {
    json::Document document = TRY(pod->document());
    const Edit status = Edit(document).object("status");
    const bool changed = set_condition(
        status,
        {"DisruptionTarget", "True", "DeletionByTaintManager",
         "Taint manager: deleting due to NoExecute taint", pod->metadata().generation},
        clock_.now());
    if (!changed) return {};
    return unless_gone(write_status(client_, resource_, pod, std::move(document)));
  }

  // Upstream's event refers to the pod without its uid.
  void record(const Key& pod, std::string message) {
    events_.normal({.api_version = "v1",
                    .kind = "Pod",
                    .name_space = pod.name_space,
                    .name = pod.name,
                    .uid = {},
                    .resource_version = {},
                    .field_path = {}},
                   "TaintManagerEviction", std::move(message));
  }

  const client::BoundedClient client_;
  client::EventRecorder& events_;
  Clock& clock_;
  const api::Resource& resource_;
  client::Informer& nodes_;
  client::Informer& pods_;
  Freshness evicted_;
  Mutex mutex_;
  std::unordered_map<Key, Countdown> countdowns_ GUARDED_BY(mutex_);
};

}  // namespace nodes::taint_eviction

std::unique_ptr<Controller> make_taint_eviction_controller(const ControllerContext& context) {
  return std::make_unique<nodes::taint_eviction::TaintEviction>(context);
}

}  // namespace proa::controllers
