#include "controllers/workload/replicas/replica_sets.h"

#include <algorithm>

#include "controllers/framework/claim.h"
#include "controllers/framework/fan_out.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/owners.h"
#include "controllers/framework/writes.h"
#include "controllers/pods/pod_control.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/workload/replicas/plan.h"
#include "controllers/workload/replicas/status.h"

namespace proa::controllers {
namespace replica_sets {

using client::Again;
using client::Key;
using replicas::SetFacts;

// The differences between the two kinds.
struct SetKind {
  std::string_view group;
  std::string_view resource;
  replicas::SelectorForm selector = replicas::SelectorForm::kSelector;
  // ReplicaSet: may have sibling sets of the same Deployment; its status counts terminating pods.
  bool of_deployments = false;
};
constexpr SetKind kReplicaSet{.group = "apps", .resource = "replicasets", .of_deployments = true};
constexpr SetKind kReplicationController{
    .group = "", .resource = "replicationcontrollers", .selector = replicas::SelectorForm::kMap};

const api::LabelSelector* selector_of_set(const api::Object& set) {
  return &replicas::set_facts(set, replicas::SelectorForm::kSelector).selector;
}
const api::LabelSelector* selector_of_controller(const api::Object& controller) {
  return &replicas::set_facts(controller, replicas::SelectorForm::kMap).selector;
}

// Whether a change of a pod matters to sets: most changes do not.
bool matters(const api::Object& before, const api::Object& after) {
  const PodFacts& was = pod_facts(before);
  const PodFacts& is = pod_facts(after);
  return was.being_deleted != is.being_deleted || was.finished() != is.finished() ||
         was.ready != is.ready || was.ready_since != is.ready_since ||
         before.metadata().labels != after.metadata().labels;
}

// The pods of a set.
struct Pods {
  std::vector<api::ObjectPtr> active;
  int64_t terminating = 0;
};

// The result of creating or deleting pods.
struct ReconcileOutcome {
  int64_t missing = 0;  // before the reconcile; negative: surplus
  Result<void> outcome = {};
};

class ReplicaSets final : public Controller {
 public:
  ReplicaSets(const ControllerContext& context, const SetKind& kind)
      : client_(context.client),
        clock_(context.clock),
        pool_(context.pool),
        kind_(kind),
        resource_(*context.schema.find_resource(kind.group, "v1", kind.resource)),
        sets_(context.informers.by_controller(kind.group, kind.resource)),
        claimer_(context, "", "pods"),
        pods_(context),
        pods_written_(claimer_.informer()),
        sets_written_(sets_),
        pods_informer_(context.informers.by_controller("", "pods")) {}

  void listen(client::WorkQueue& queue) override {
    sets_.add_handler([&queue](const client::Change& change) { queue.add(change.key); });
    const bool by_map = kind_.selector == replicas::SelectorForm::kMap;
    listen_for_owned(pods_informer_,
                     {.cache = sets_.cache(),
                      .kind = resource_.type->name,
                      .selector = by_map ? selector_of_controller : selector_of_set,
                      .matters = matters},
                     queue);
  }

  Result<Again> reconcile(const Key& key) override {
    const api::ObjectPtr set = sets_.cache().get(key);
    if (set == nullptr) {
      pods_written_.forget(key);
      sets_written_.forget(key);
      return Again{};
    }
    if (!pods_written_.is_fresh(key) || !sets_written_.is_fresh(key)) return kNotYet;
    const SetFacts& facts = replicas::set_facts(*set, kind_.selector);
    Pods pods = TRY(claim(*set, facts));
    const ReconcileOutcome reconciled =
        set->metadata().being_deleted ? ReconcileOutcome{} : reconcile_pods(key, *set, facts, pods);
    const Time now = clock_.now();
    TRY(write_replica_status(key, set, pods, reconciled, now));
    if (!reconciled.outcome) return reconciled.outcome.status();
    return Again{next_available(pods.active, facts.min_ready_seconds, now)};
  }

 private:
  // Finished and terminating pods are neither adopted nor released.
  Result<Pods> claim(const api::Object& set, const SetFacts& facts) {
    const auto is_active = [](const api::Object& pod) { return pod_facts(pod).active(); };
    Pods pods;
    pods.active = TRY(claimer_.claim({resource_, set}, facts.selector, is_active));
    for (const api::ObjectPtr& pod : claimer_.owned_by(set)) {
      const PodFacts& pod_is = pod_facts(*pod);
      const bool terminating = pod_is.being_deleted && !pod_is.finished();
      if (terminating && facts.selector.matches(pod->metadata().labels)) ++pods.terminating;
    }
    return pods;
  }

  ReconcileOutcome reconcile_pods(const Key& key, const api::Object& set, const SetFacts& facts,
                                  Pods& pods) {
    const int64_t missing = replicas::missing_replicas(facts.replicas, pods.active.size());
    if (missing > 0) return {missing, create(key, set, static_cast<size_t>(missing), pods)};
    if (missing < 0) return {missing, remove(key, set, static_cast<size_t>(-missing), pods)};
    return {};
  }

  // Adds created pods to `pods`, so that the status does not wait for the cache.
  Result<void> create(const Key& key, const api::Object& set, size_t count, Pods& pods) {
    const json::Document document = TRY(set.document());
    const Owner owner{resource_, set};
    const json::Document pod =
        pod_from_template(owner, api::View(document.root())["spec"]["template"]);
    std::vector<api::ObjectPtr> created(count);
    const FanOut all = fan_out(pool_, count, [&](size_t i) -> Result<void> {
      Result<api::ObjectPtr> one = pods_.create(owner, pod.copy());
      pods_written_.tried(key, one);
      created[i] = TRY(std::move(one));
      return {};
    });
    for (api::ObjectPtr& one : created) {
      if (one != nullptr) pods.active.push_back(std::move(one));
    }
    // Creation fails in a terminating namespace; no retry.
    if (!all.outcome && is_namespace_terminating(all.outcome.status())) return {};
    return all.outcome;
  }

  // Deleted pods stay in `pods` until the cache is up to date.
  Result<void> remove(const Key& key, const api::Object& set, size_t count, const Pods& pods) {
    const std::vector<api::ObjectPtr> chosen =
        replicas::choose_to_remove(pods.active, related_pods(set), count, clock_.now());
    return fan_out(pool_, chosen.size(),
                   [&](size_t i) -> Result<void> {
                     Result<void> removed = pods_.remove({resource_, set}, *chosen[i]);
                     pods_written_.tried_to_remove(key, *chosen[i], removed);
                     return removed;
                   })
        .outcome;
  }

  // The pods of all sets of the same Deployment.
  std::vector<api::ObjectPtr> related_pods(const api::Object& set) const {
    std::vector<api::ObjectPtr> related;
    const auto* deployment = controller_of(set);
    if (!kind_.of_deployments || deployment == nullptr) return related;
    for (const api::ObjectPtr& sibling :
         sets_.cache().find("controller", std::string(deployment->uid))) {
      const std::vector<api::ObjectPtr> owned = claimer_.owned_by(*sibling);
      related.insert(related.end(), owned.begin(), owned.end());
    }
    return related;
  }

  Result<void> write_replica_status(const Key& key, const api::ObjectPtr& set, const Pods& pods,
                                    const ReconcileOutcome& reconciled, Time now) {
    json::Document document = TRY(set->document());
    const api::Edit status = api::Edit(document).object("status");
    replicas::Counts counts =
        replicas::count_replicas(replicas::set_facts(*set, kind_.selector), pods.active, now);
    if (kind_.of_deployments) counts.terminating = pods.terminating;
    replicas::put_counts(status, counts, set->metadata().generation);
    replicas::put_failure(status, reconciled.outcome, reconciled.missing, now);
    const Result<api::ObjectPtr> written =
        write_status(client_, resource_, set, std::move(document));
    sets_written_.tried(key, written);
    return unless_gone(written);
  }

  const client::BoundedClient client_;
  Clock& clock_;
  WorkerPool& pool_;
  const SetKind kind_;
  const api::Resource& resource_;
  client::Informer& sets_;
  Claimer claimer_;
  PodControl pods_;
  Freshness pods_written_;
  Freshness sets_written_;
  client::Informer& pods_informer_;
};

}  // namespace replica_sets

std::unique_ptr<Controller> make_replica_set_controller(const ControllerContext& context) {
  return std::make_unique<replica_sets::ReplicaSets>(context, replica_sets::kReplicaSet);
}

std::unique_ptr<Controller> make_replication_controller(const ControllerContext& context) {
  return std::make_unique<replica_sets::ReplicaSets>(context, replica_sets::kReplicationController);
}

}  // namespace proa::controllers
