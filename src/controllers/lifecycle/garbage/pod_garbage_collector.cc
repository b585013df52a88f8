#include "controllers/lifecycle/garbage/pod_garbage_collector.h"

#include <map>
#include <set>

#include "controllers/framework/fan_out.h"
#include "controllers/framework/writes.h"
#include "controllers/lifecycle/garbage/pod_garbage.h"
#include "controllers/pods/pods_by_node.h"
#include "json/parse.h"

namespace proa::controllers {
namespace pod_garbage_collector {

using client::Again;
using client::Key;

// What upstream gives a node to show up before its pods are taken for lost: it may be new, and not
// known here yet.
constexpr Duration kQuarantine = std::chrono::seconds(40);

// Three kinds of keys: a pod has a namespace, a node has none, and this one has no name either: all
// finished pods.
bool is_all_finished(const Key& key) { return key.name_space.empty() && key.name.empty(); }
bool is_node(const Key& key) { return key.name_space.empty() && !key.name.empty(); }

class PodGarbageCollector final : public Controller {
 public:
  explicit PodGarbageCollector(const ControllerContext& context)
      : client_(context.client),
        clock_(context.clock),
        pool_(context.pool),
        pod_resource_(*context.schema.find_resource("", "v1", "pods")),
        node_resource_(*context.schema.find_resource("", "v1", "nodes")),
        pods_(pods_by_node(context.informers)),
        nodes_(context.informers.of("", "nodes")),
        most_finished_(context.options.terminated_pod_gc_threshold),
        interval_(context.options.terminated_pod_gc_interval) {}

  void listen(client::WorkQueue& queue) override {
    pods_.add_handler([this, &queue](const client::Change& change) { heard(change, queue); });
    nodes_.add_handler([&queue](const client::Change& change) {
      const bool matters = change.after == nullptr || is_marked_out_of_service(*change.after);
      if (matters) queue.add({"", change.key.name});
    });
  }

  Result<Again> reconcile(const Key& key) override {
    if (is_all_finished(key)) return remove_surplus();
    return is_node(key) ? look_at_node(key) : look_at_pod(key);
  }

 private:
  void heard(const client::Change& change, client::WorkQueue& queue) {
    const PodSketch pod = change.after == nullptr ? PodSketch() : sketch_of(*change.after);
    // Many may finish together: they are counted once in a while.
    if (count_finished(change.key, pod.finished())) queue.add_after({"", ""}, interval_);
    if (change.after == nullptr) return;
    if (pod.node.empty()) {
      if (pod.being_deleted) queue.add(change.key);
      return;
    }
    const Key node_key{"", std::string(pod.node)};
    const api::ObjectPtr node = nodes_.cache().get(node_key);
    if (node == nullptr) {
      queue.add(node_key);
    } else if (pod.being_deleted && is_marked_out_of_service(*node)) {
      queue.add(change.key);
    }
  }

  // Whether there are too many.
  bool count_finished(const Key& key, bool is_finished) EXCLUDES(mutex_) {
    if (most_finished_ <= 0) return false;
    MutexLock lock(mutex_);
    if (is_finished) {
      finished_.insert(key);
    } else {
      finished_.erase(key);
    }
    return is_finished && finished_.size() > static_cast<size_t>(most_finished_);
  }

  Result<Again> remove_surplus() {
    std::vector<api::ObjectPtr> finished;
    {
      MutexLock lock(mutex_);
      for (const Key& key : finished_) {
        api::ObjectPtr pod = pods_.cache().get(key);
        if (pod != nullptr) finished.push_back(std::move(pod));
      }
    }
    TRY(end_all(surplus_of(std::move(finished), static_cast<size_t>(most_finished_)), false));
    return Again{};
  }

  // A pod that is being deleted: whether its node will do that.
  Result<Again> look_at_pod(const Key& key) {
    const api::ObjectPtr pod = pods_.cache().get(key);
    if (pod == nullptr || !pod->metadata().being_deleted) return Again{};
    const std::string node_name(sketch_of(*pod).node);
    if (!node_name.empty()) {
      const api::ObjectPtr node = nodes_.cache().get({"", node_name});
      if (node == nullptr || !is_out_of_service(*node)) return Again{};
    }
    TRY(end(*pod, false));
    return Again{};
  }

  Result<Again> look_at_node(const Key& key) {
    const api::ObjectPtr node = nodes_.cache().get(key);
    if (node != nullptr && !is_out_of_service(*node)) {
      forget(key.name);
      return Again{};
    }
    std::vector<api::ObjectPtr> pods = pods_.cache().find("node", key.name);
    if (node != nullptr) {
      forget(key.name);
      std::erase_if(pods, [](const api::ObjectPtr& pod) { return !pod->metadata().being_deleted; });
      TRY(end_all(pods, false));
      return Again{};
    }
    if (pods.empty()) {
      forget(key.name);
      return Again{};
    }
    return end_all_of_lost_node(key, pods);
  }

  Result<Again> end_all_of_lost_node(const Key& key, const std::vector<api::ObjectPtr>& pods) {
    const Duration missed = missed_for(key.name);
    if (missed < kQuarantine) return Again{kQuarantine - missed};
    const Result<api::ObjectPtr> live = client_.get(place_of(node_resource_, key));
    if (!live && !live.is(Reason::kNotFound)) return live.status();
    if (live) {
      // The cache will hear of it.
      forget(key.name);
      return Again{kQuarantine};
    }
    TRY(end_all(pods, true));
    forget(key.name);
    return Again{};
  }

  Duration missed_for(const std::string& node) EXCLUDES(mutex_) {
    const Steady now = clock_.steady();
    MutexLock lock(mutex_);
    return now - missing_since_.try_emplace(node, now).first->second;
  }

  void forget(const std::string& node) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    missing_since_.erase(node);
  }

  Result<void> end_all(const std::vector<api::ObjectPtr>& pods, bool node_is_gone) {
    return fan_out(pool_, pods.size(), [&](size_t i) { return end(*pods[i], node_is_gone); })
        .outcome;
  }

  // Those who wait for a pod to come to its end see that it failed, before it goes.
  Result<void> end(const api::Object& pod, bool node_is_gone) {
    const Key key = Key::of(pod);
    const PodSketch sketch = sketch_of(pod);
    if (!sketch.finished()) {
      const Result<api::ObjectPtr> failed =
          client_.patch(place_of(pod_resource_, key, "status"), api::PatchType::kStrategic,
                        json::parse_literal(failed_patch(pod, node_is_gone, clock_.now())), {});
      if (failed.is(Reason::kConflict)) return {};  // another pod of that name
      TRY(unless_gone(failed));
    }
    // Then finalizers are all it waits for.
    if (sketch.being_deleted && !sketch.has_grace) return {};
    client::RemoveChoices now;
    now.grace_seconds = 0;
    now.uid = pod.metadata().uid;
    const Result<void> removed = client_.remove(place_of(pod_resource_, key), now);
    if (removed.is(Reason::kConflict)) return {};
    return unless_gone(removed);
  }

  const client::BoundedClient client_;
  Clock& clock_;
  WorkerPool& pool_;
  const api::Resource& pod_resource_;
  const api::Resource& node_resource_;
  client::Informer& pods_;
  client::Informer& nodes_;
  const int most_finished_;  // zero or less: as many as there are
  const Duration interval_;
  Mutex mutex_;
  std::set<Key> finished_ GUARDED_BY(mutex_);
  std::map<std::string, Steady> missing_since_ GUARDED_BY(mutex_);  // nodes that pods are bound to
};

}  // namespace pod_garbage_collector

std::unique_ptr<Controller> make_pod_garbage_collector(const ControllerContext& context) {
  return std::make_unique<pod_garbage_collector::PodGarbageCollector>(context);
}

}  // namespace proa::controllers
