#include "controllers/node/lifecycle.h"

#include <map>
#include <set>

#include "controllers/framework/fan_out.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "controllers/node/heartbeats.h"
#include "controllers/node/node_events.h"
#include "controllers/node/node_taints.h"
#include "controllers/node/unready_pods.h"
#include "controllers/node/zones.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/pods/pods_by_node.h"
#include "json/print.h"
#include "json/text/scan.h"

namespace proa::controllers {
namespace nodes::lifecycle {

using api::Edit;
using api::ObjectPtr;
using client::Again;
using client::Key;

constexpr std::string_view kLeases = "kube-node-lease";
// Grace period from creation to the first status (--node-startup-grace-period).
constexpr Duration kStartupGracePeriod = std::chrono::seconds(60);

// The earlier of two delays; zero means none.
Duration sooner(Duration a, Duration b) {
  if (a == Duration::zero() || b == Duration::zero()) return std::max(a, b);
  return std::min(a, b);
}

std::string_view renew_time_of(const api::Object& lease) {
  return json::Scan::unquoted(
      json::Scan::find(json::Scan::find(lease.json(), "spec"), "renewTime"));
}

Zones::NodeState zone_node_state(const NodeFacts& facts) {
  return {.zone = facts.zone, .ready = facts.ready == NodeReady::kTrue, .counts = facts.counts};
}

// Keys are nodes (without namespace) and pods that were bound to a node.
class NodeLifecycle final : public Controller {
 public:
  explicit NodeLifecycle(const ControllerContext& context)
      : client_(context.client),
        events_(context.events),
        clock_(context.clock),
        pool_(context.pool),
        node_resource_(*context.schema.find_resource("", "v1", "nodes")),
        nodes_(context.informers.of("", "nodes")),
        leases_(context.informers.of("coordination.k8s.io", "leases")),
        pods_(pods_by_node(context.informers)),
        unready_(context),
        grace_period_(context.options.node_monitor_grace_period),
        heartbeats_(context.clock),
        written_(nodes_) {}

  size_t workers() const override { return 8; }

  void listen(client::WorkQueue& queue) override {
    queue_ = &queue;
    nodes_.add_handler([this, &queue](const client::Change& change) {
      update_zones(change);
      queue.add(change.key);
    });
    // The most frequent event: it is recorded without a reconcile. The reconcile at the end of the
    // grace period finds it.
    leases_.add_handler([this](const client::Change& change) {
      if (change.key.name_space != kLeases) return;
      if (change.after == nullptr) return heartbeats_.lease_gone(change.key.name);
      heartbeats_.renewed(change.key.name, renew_time_of(*change.after));
    });
    pods_.add_handler([&queue](const client::Change& change) {
      if (change.after == nullptr) return;
      const PodFacts& pod = pod_facts(*change.after);
      if (!pod.ready || pod.node.empty()) return;
      const bool came = change.before == nullptr || pod_facts(*change.before).node != pod.node;
      if (came) queue.add(change.key);
    });
  }

  void caches_filled() override {
    MutexLock lock(mutex_);
    std::map<std::string, Zones::NodeState> states;
    for (const ObjectPtr& node : nodes_.cache().list()) {
      states[std::string(node->metadata().name)] = zone_node_state(node_facts(*node));
    }
    zones_.begin(std::move(states), clock_.steady());
    filled_ = true;
  }

  Result<Again> reconcile(const Key& key) override {
    return key.name_space.empty() ? look_at_node(key) : look_at_pod(key);
  }

 private:
  Result<Again> look_at_node(const Key& key) {
    const ObjectPtr node = nodes_.cache().get(key);
    if (node == nullptr) {
      forget(key);
      return Again{};
    }
    if (!written_.is_fresh(key)) return kNotYet;
    register_node(key, *node);
    const NodeFacts& facts = node_facts(*node);
    heartbeats_.observe(key.name, facts);
    const Duration left = time_left(key.name, facts);
    const bool is_lost = left <= Duration::zero();
    if (is_lost && facts.ready != NodeReady::kUnknown) return call_unknown(key, node, facts);
    TRY(mark_pods_of_lost(key.name, facts));
    const Duration turn = TRY(write_taints(key, node, facts));
    return Again{sooner(is_lost ? Duration::zero() : left, turn)};
  }

  // Until the grace period ends without a heartbeat.
  Duration time_left(const std::string& name, const NodeFacts& facts) const {
    const Duration grace = facts.ready == NodeReady::kAbsent ? kStartupGracePeriod : grace_period_;
    return heartbeats_.last(name) + grace - clock_.steady();
  }

  void register_node(const Key& key, const api::Object& node) {
    const std::string uid(node.metadata().uid);
    {
      MutexLock lock(mutex_);
      if (std::exchange(known_[key.name], uid) == uid) return;
    }
    tell_of_node(events_, key.name, uid, "RegisteredNode",
                 "Registered Node " + key.name + " in Controller");
  }

  void forget(const Key& key) {
    std::string uid;
    {
      MutexLock lock(mutex_);
      const auto found = known_.find(key.name);
      if (found == known_.end()) return;
      uid = found->second;
      known_.erase(found);
      unmarked_.erase(key.name);
    }
    tell_of_node(events_, key.name, uid, "RemovingNode",
                 "Removing Node " + key.name + " from Controller");
    heartbeats_.forget(key.name);
    written_.forget(key);
  }

  // The rest follows when the cache contains the write.
  Result<Again> call_unknown(const Key& key, const ObjectPtr& node, const NodeFacts& facts) {
    json::Document document = TRY(node->document());
    set_unknown(Edit(document), clock_.now());
    const Result<ObjectPtr> written =
        write_status(client_, node_resource_, node, std::move(document));
    if (!written) return unless_gone_again(written);
    written_.wrote(key, **written);
    if (facts.ready != NodeReady::kTrue) return Again{};
    tell_status_of_node(events_, *node, "NodeNotReady");
    MutexLock lock(mutex_);
    unmarked_.insert(key.name);
    return Again{};
  }

  static Result<Again> unless_gone_again(const Result<ObjectPtr>& written) {
    TRY(unless_gone(written));
    return Again{};
  }

  // Marks the pods of a node that was ready until this controller set it to Unknown. A kubelet that
  // reports its node as not ready updates its pods itself.
  Result<void> mark_pods_of_lost(const std::string& node, const NodeFacts& facts) {
    {
      MutexLock lock(mutex_);
      if (!unmarked_.contains(node)) return {};
    }
    if (facts.ready != NodeReady::kTrue) {
      const std::vector<ObjectPtr> pods = pods_.cache().find("node", node);
      TRY(fan_out(pool_, pods.size(), [&](size_t i) { return unready_.mark(pods[i]); }).outcome);
    }
    MutexLock lock(mutex_);
    unmarked_.erase(node);
    return {};
  }

  // A pod that was bound to an unready node, or left unmarked by another leader.
  Result<Again> look_at_pod(const Key& key) {
    const ObjectPtr pod = pods_.cache().get(key);
    if (pod == nullptr) return Again{};
    const ObjectPtr node = nodes_.cache().get({"", pod_facts(*pod).node.str()});
    if (node == nullptr) return Again{};
    const NodeReady ready = node_facts(*node).ready;
    if (ready != NodeReady::kFalse && ready != NodeReady::kUnknown) return Again{};
    TRY(unready_.mark(pod));
    return Again{};
  }

  // Before the first reconcile, so that nodes that fail together are seen together.
  void update_zones(const client::Change& change) {
    Zones::Shift shift;
    {
      MutexLock lock(mutex_);
      if (!filled_) return;  // caches_filled() handles it
      const Steady now = clock_.steady();
      shift = change.after == nullptr
                  ? zones_.remove(change.key.name, now)
                  : zones_.set(change.key.name, zone_node_state(node_facts(*change.after)), now);
    }
    act_on(shift);
  }

  void act_on(const Zones::Shift& shift) {
    for (const std::string& node : shift.nodes) queue_->add({"", node});
    if (!shift.everybody) return;
    bool all_down = false;
    {
      MutexLock lock(mutex_);
      all_down = zones_.all_down();
    }
    // After a full disruption heartbeats start over: the nodes may be fine.
    if (!all_down) heartbeats_.restart();
    for (const ObjectPtr& node : nodes_.cache().list()) queue_->add(Key::of(*node));
  }

  // Delay by the eviction rate limit; zero: none.
  Result<Duration> write_taints(const Key& key, const ObjectPtr& node, const NodeFacts& facts) {
    Duration turn{0};
    const TaintChange change = plan_taints(facts, driven_by(key.name, facts, turn));
    if (change.empty() && facts.lacks_labels.empty()) return turn;
    json::Document document = TRY(node->document());
    const Edit root(document);
    if (!change.empty()) change_taints(root, change, clock_.now());
    for (const auto& [name, value] : facts.lacks_labels) {
      root.object("metadata").object("labels").set(name, value);
    }
    const Result<ObjectPtr> written =
        client_.update(place_of(node_resource_, key), std::move(document), {});
    TRY(unless_gone(written));
    if (written) written_.wrote(key, **written);
    return turn;
  }

  DrivenBy driven_by(const std::string& node, const NodeFacts& facts, Duration& turn) {
    if (facts.ready == NodeReady::kAbsent) return DrivenBy::kAsItIs;
    Zones::Shift shift;
    DrivenBy wanted = DrivenBy::kNothing;
    {
      MutexLock lock(mutex_);
      const bool is_healthy = facts.ready == NodeReady::kTrue || zones_.all_down();
      if (!is_healthy) {
        wanted = facts.ready == NodeReady::kFalse ? DrivenBy::kNotReady : DrivenBy::kUnreachable;
      }
      const bool is_driven = facts.has_taint(kTaintNotReady, kNoExecute) ||
                             facts.has_taint(kTaintUnreachable, kNoExecute);
      if (!is_healthy && !is_driven) {
        const std::optional<Duration> wait = zones_.wait_for_turn(node, clock_.steady());
        turn = wait.value_or(Duration::zero());
        if (wait != Duration::zero()) wanted = DrivenBy::kAsItIs;
      } else {
        shift = zones_.give_back(node);
      }
    }
    act_on(shift);
    return wanted;
  }

  const client::BoundedClient client_;
  client::EventRecorder& events_;
  Clock& clock_;
  WorkerPool& pool_;
  const api::Resource& node_resource_;
  client::Informer& nodes_;
  client::Informer& leases_;
  client::Informer& pods_;
  const UnreadyPods unready_;
  const Duration grace_period_;
  client::WorkQueue* queue_ = nullptr;  // for nodes affected by changes of other nodes
  Heartbeats heartbeats_;
  Freshness written_;  // nodes
  Mutex mutex_;
  bool filled_ GUARDED_BY(mutex_) = false;
  Zones zones_ GUARDED_BY(mutex_);
  std::map<std::string, std::string> known_ GUARDED_BY(mutex_);  // uids by node name
  std::set<std::string> unmarked_ GUARDED_BY(mutex_);  // nodes whose pods are not marked yet
};

}  // namespace nodes::lifecycle

std::unique_ptr<Controller> make_node_lifecycle_controller(const ControllerContext& context) {
  return std::make_unique<nodes::lifecycle::NodeLifecycle>(context);
}

}  // namespace proa::controllers
