#include "controllers/workload/daemon/daemon_sets.h"

#include <algorithm>
#include <map>

#include "controllers/framework/fan_out.h"
#include "controllers/framework/owners.h"
#include "controllers/framework/writes.h"
#include "controllers/pods/pod_control.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/workload/daemon/daemon_facts.h"
#include "controllers/workload/daemon/daemon_history.h"
#include "controllers/workload/daemon/daemon_plan.h"
#include "controllers/workload/daemon/daemon_pod.h"
#include "controllers/workload/daemon/failed_pods.h"

namespace proa::controllers {
namespace daemon_sets {

using api::ObjectPtr;
using client::Again;
using client::Key;

using PodsByName = std::map<std::string_view, ObjectPtr>;

// The state of one reconcile.
struct Round {
  const Owner& owner;
  const DaemonFacts& facts;
  api::View root;  // of the set's document
  const DaemonVersion& version;
  std::vector<ObjectPtr> pods;
  PodsByName by_name = {};
  std::vector<DaemonNode> nodes = {};
  Again again = {};  // when to reconcile again

  void requeue_after(Duration after) {
    if (again.after == Duration(0) || after < again.after) again.after = after;
  }
};

std::string failure_key(const Round& round, std::string_view node) {
  return std::string(round.owner.object.metadata().uid) + "/" +
         std::to_string(round.facts.observed_generation) + "/" + std::string(node);
}

void put_status(api::Edit root, const DaemonCounts& counts, int64_t generation,
                int64_t collisions) {
  const api::Edit status = root.object("status");
  const auto put = [&status](const char* name, int64_t number) { put_count(status, name, number); };
  put("desiredNumberScheduled", counts.desired);
  put("currentNumberScheduled", counts.current);
  put("numberMisscheduled", counts.misscheduled);
  put("numberReady", counts.ready);
  put("updatedNumberScheduled", counts.updated);
  put("numberAvailable", counts.available);
  put("numberUnavailable", counts.desired - counts.available);
  put("observedGeneration", generation);
  put("collisionCount", collisions);
}

class DaemonSets final : public Controller {
 public:
  explicit DaemonSets(const ControllerContext& context)
      : client_(context.client),
        events_(context.events),
        clock_(context.clock),
        pool_(context.pool),
        resource_(*context.schema.find_resource("apps", "v1", "daemonsets")),
        sets_(context.informers.of("apps", "daemonsets")),
        nodes_(context.informers.of("", "nodes")),
        pods_(context.informers.by_controller("", "pods")),
        claimer_(context, "", "pods"),
        pod_control_(context),
        pod_writes_(pods_),
        status_writes_(sets_),
        history_(context, pod_writes_) {}

  void listen(client::WorkQueue& queue) override {
    sets_.add_handler([&queue](const client::Change& change) { queue.add(change.key); });
    const Owners owners{.cache = sets_.cache(), .kind = "DaemonSet"};
    listen_for_owned(pods_, owners, queue);
    listen_for_owned(history_.revisions().informer(), owners, queue);
    nodes_.add_handler(
        [this, &queue](const client::Change& change) { node_changed(change, queue); });
  }

  Result<Again> reconcile(const Key& key) override {
    const bool fresh = pod_writes_.is_fresh(key) && history_.revisions().is_fresh(key) &&
                       status_writes_.is_fresh(key);
    if (!fresh) return kNotYet;
    const ObjectPtr set = sets_.cache().get(key);
    if (set == nullptr) {
      pod_writes_.forget(key);
      history_.revisions().forget(key);
      status_writes_.forget(key);
      return Again{};
    }
    // A set that is being deleted may have lost its revisions; its status is left alone.
    if (set->metadata().being_deleted) return Again{};
    const api::LabelSelector* selector = selector_of(*set);
    if (selector == nullptr) return Again{};
    if (selector->matches_everything()) {
      events_.warning(client::ObjectReference::to(*set), "SelectingAll",
                      "This daemon set is selecting all pods. A non-empty selector is required.");
      return Again{};
    }
    Result<Again> done = work_on(set, *selector);
    // The namespace is terminating: nothing can be created.
    if (!done && is_namespace_terminating(done.status())) return Again{};
    return done;
  }

 private:
  // Queues only sets whose decision for the node changed: nodes change often.
  void node_changed(const client::Change& change, client::WorkQueue& queue) const {
    if (change.before != nullptr && change.after != nullptr &&
        change.before->metadata().labels == change.after->metadata().labels &&
        kinds::pods::taints_of(*change.before) == kinds::pods::taints_of(*change.after)) {
      return;
    }
    for (const ObjectPtr& set : sets_.cache().list()) {
      const NodeMatch& match = daemon_facts(*set).nodes;
      NodeMatch::Verdict before;
      NodeMatch::Verdict after;
      if (change.before != nullptr) before = match.judge(*change.before);
      if (change.after != nullptr) after = match.judge(*change.after);
      if (before != after) queue.add(Key::of(*set));
    }
  }

  Result<Again> work_on(const ObjectPtr& set, const api::LabelSelector& selector) {
    const json::Document document = TRY(set->document());
    const api::View root = document.root();
    const DaemonFacts& facts = daemon_facts(*set);
    const Owner owner{resource_, *set};
    std::vector<ObjectPtr> pods = TRY(claimer_.claim(owner, selector));
    const DaemonHistory::State history =
        TRY(history_.read(owner, root, selector, pods, facts.collisions));
    if (history.relabelled) return kNotYet;

    const DaemonVersion version{.hash = history.hash, .generation = facts.template_generation};
    Round round{
        .owner = owner, .facts = facts, .root = root, .version = version, .pods = std::move(pods)};
    fill(round);
    Result<void> outcome = act(round);
    if (outcome) outcome = history_.truncate(owner, history, round.pods, facts.history_limit);
    const Result<void> written = write(set, count_daemons(round.nodes), history.collisions);
    TRY(outcome);
    TRY(written);
    return round.again;
  }

  // Nodes and their pods by name, as input of the plan.
  void fill(Round& round) const {
    std::map<std::string_view, DaemonNode> nodes;
    const std::vector<ObjectPtr> all = nodes_.cache().list();
    for (const ObjectPtr& node : all) {
      const NodeMatch::Verdict verdict = round.facts.nodes.judge(*node);
      DaemonNode& added = nodes[node->metadata().name];
      added.may_start = verdict.may_start;
      added.may_stay = verdict.may_stay;
    }
    const Time now = clock_.now();
    for (const ObjectPtr& pod : round.pods) {
      const std::string& name = target_node(*pod);
      const PodFacts& facts = pod_facts(*pod);
      // Finished pods that are being deleted do not count.
      if (name.empty() || (facts.finished() && facts.being_deleted)) continue;
      const auto [node, is_new] = nodes.try_emplace(name);
      if (is_new) node->second.exists = false;
      node->second.pods.push_back(make_daemon_pod(round, *pod, name, now));
      round.by_name[pod->metadata().name] = pod;
      if (const auto in = facts.available_in(round.facts.min_ready_seconds, now)) {
        round.requeue_after(*in);
      }
    }
    for (auto& [name, node] : nodes) {
      node.name = name;
      sort_daemon_pods(node.pods);
      round.nodes.push_back(std::move(node));
    }
  }

  DaemonPod make_daemon_pod(Round& round, const api::Object& pod, const std::string& node,
                            Time now) const {
    const PodFacts& facts = pod_facts(pod);
    DaemonPod one;
    one.name = pod.metadata().name;
    one.created = facts.created;
    one.scheduled = !facts.node.empty();
    one.being_deleted = facts.being_deleted;
    one.failed = facts.phase == PodPhase::kFailed;
    one.succeeded = facts.phase == PodPhase::kSucceeded;
    one.ready = facts.ready;
    one.available = facts.available(round.facts.min_ready_seconds, now);
    one.updated = round.version.is_of(pod);
    if (one.failed && !one.being_deleted) {
      const Duration wait = failed_.wait(failure_key(round, node), clock_.steady());
      one.held = wait > Duration(0);
      if (one.held) round.requeue_after(wait);
    }
    return one;
  }

  Result<void> act(Round& round) {
    const DaemonPlan placement = plan_placement(round.nodes, round.facts.surges());
    if (!placement.empty()) return carry_out(round, placement);
    if (!round.facts.updates) return {};
    DaemonUpdatePolicy policy;
    policy.desired = count_daemons(round.nodes).desired;
    policy.max_unavailable = round.facts.max_unavailable.rounded_up(policy.desired);
    policy.max_surge = round.facts.max_surge.rounded_up(policy.desired);
    if (policy.max_unavailable == 0 && policy.max_surge == 0) policy.max_unavailable = 1;
    return carry_out(round, plan_update(round.nodes, policy));
  }

  Result<void> carry_out(const Round& round, const DaemonPlan& plan) {
    const Key key = Key::of(round.owner.object);
    for (const DaemonRemoval& removal : plan.remove) record_removal(round, removal);
    const FanOut created = fan_out(pool_, plan.create_on.size(), [&](size_t i) -> Result<void> {
      json::Document pod = new_daemon_pod(round.owner, round.root["spec"]["template"],
                                          plan.create_on[i], round.version);
      const Result<ObjectPtr> answer = pod_control_.create(round.owner, std::move(pod));
      pod_writes_.tried(key, answer);
      return answer ? Result<void>() : answer.status();
    });
    const FanOut removed = fan_out(pool_, plan.remove.size(), [&](size_t i) -> Result<void> {
      const ObjectPtr& pod = round.by_name.at(plan.remove[i].pod);
      Result<void> answer = pod_control_.remove(round.owner, *pod);
      pod_writes_.tried_to_remove(key, *pod, answer);
      return answer;
    });
    TRY(created.outcome);
    return removed.outcome;
  }

  void record_removal(const Round& round, const DaemonRemoval& removal) {
    const auto about = client::ObjectReference::to(round.owner.object);
    const std::string where = about.name_space + "/" + removal.pod + " on node " + removal.node;
    if (removal.why == DaemonRemoval::Why::kFailed) {
      failed_.replaced(failure_key(round, removal.node), clock_.steady());
      events_.warning(about, "FailedDaemonPod",
                      "Found failed daemon pod " + where + ", will try to kill it");
    } else if (removal.why == DaemonRemoval::Why::kSucceeded) {
      events_.normal(about, "SucceededDaemonPod",
                     "Found succeeded daemon pod " + where + ", will try to delete it");
    }
  }

  Result<void> write(const ObjectPtr& set, const DaemonCounts& counts, int64_t collisions) {
    json::Document changed = TRY(set->document());
    put_status(api::Edit(changed), counts, set->metadata().generation, collisions);
    const Result<ObjectPtr> written = write_status(client_, resource_, set, std::move(changed));
    status_writes_.tried(Key::of(*set), written);
    return written ? Result<void>() : written.status();
  }

  const client::BoundedClient client_;
  client::EventRecorder& events_;
  Clock& clock_;
  WorkerPool& pool_;
  const api::Resource& resource_;
  client::Informer& sets_;
  client::Informer& nodes_;
  client::Informer& pods_;
  Claimer claimer_;
  PodControl pod_control_;
  Freshness pod_writes_;
  Freshness status_writes_;
  DaemonHistory history_;
  FailedPods failed_;
};

}  // namespace daemon_sets

std::unique_ptr<Controller> make_daemon_set_controller(const ControllerContext& context) {
  return std::make_unique<daemon_sets::DaemonSets>(context);
}

}  // namespace proa::controllers
