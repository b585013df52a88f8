#include "controllers/workload/stateful/stateful_sets.h"

#include <algorithm>
#include <map>
#include <set>

#include "controllers/framework/fan_out.h"
#include "controllers/framework/owners.h"
#include "controllers/framework/writes.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/workload/history/history.h"
#include "controllers/workload/stateful/ordinals.h"
#include "controllers/workload/stateful/stateful_actions.h"
#include "controllers/workload/stateful/stateful_status.h"

namespace proa::controllers {
namespace stateful_sets {

using api::ObjectPtr;
using client::Again;
using client::Key;

// The state of one reconcile.
struct Round {
  const StatefulSource& set;
  const std::map<int64_t, ObjectPtr>& pods;  // by ordinal
  ObjectPtr current;                         // revisions
  ObjectPtr update;
};

ObjectPtr find_revision(const std::vector<ObjectPtr>& known, std::string_view name) {
  for (const ObjectPtr& one : known) {
    if (one->metadata().name == name) return one;
  }
  return nullptr;
}

// The parts of the status that are not counted, from the previous status.
StatefulStatus previous_status(const api::Object& set, const StatefulFacts& facts) {
  StatefulStatus status;
  status.generation = set.metadata().generation;
  status.collisions = facts.collisions;
  status.current_revision = facts.current_revision;
  status.update_revision = facts.update_revision;
  return status;
}

class StatefulSets final : public Controller {
 public:
  explicit StatefulSets(const ControllerContext& context)
      : client_(context.client),
        clock_(context.clock),
        pool_(context.pool),
        resource_(*context.schema.find_resource("apps", "v1", "statefulsets")),
        sets_(context.informers.of("apps", "statefulsets")),
        claimer_(context, "", "pods"),
        history_(context, kStatefulHashLabel),
        actions_(context),
        status_writes_(sets_) {}

  void listen(client::WorkQueue& queue) override {
    sets_.add_handler([&queue](const client::Change& change) { queue.add(change.key); });
    const Owners owners{.cache = sets_.cache(), .kind = "StatefulSet"};
    listen_for_owned(actions_.pods(), owners, queue);
    listen_for_owned(history_.informer(), owners, queue);
    actions_.claims().add_handler(
        [this, &queue](const client::Change& change) { claim_changed(change, queue); });
  }

  Result<Again> reconcile(const Key& key) override {
    const bool fresh =
        actions_.is_fresh(key) && history_.is_fresh(key) && status_writes_.is_fresh(key);
    if (!fresh) return kNotYet;
    const ObjectPtr set = sets_.cache().get(key);
    if (set == nullptr) {
      forget(key);
      return Again{};
    }
    const api::LabelSelector* selector = selector_of(*set);
    if (selector == nullptr) return Again{};
    const Owner owner{resource_, *set};
    const std::string& name = key.name;
    const std::vector<ObjectPtr> pods =
        TRY(claimer_.claim(owner, [selector, &name](const api::Object& pod) {
          return selector->matches(pod.metadata().labels) &&
                 stateful_ordinal(name, pod.metadata().name).has_value();
        }));
    Result<Again> done = work_on(set, owner, *selector, pods);
    // The namespace is terminating: nothing can be created.
    if (!done && is_namespace_terminating(done.status())) return Again{};
    return done;
  }

 private:
  // Only changes that sets wait for: claims that are created, deleted or change owners.
  void claim_changed(const client::Change& change, client::WorkQueue& queue) const {
    if (change.before != nullptr && change.after != nullptr) {
      const api::Metadata& before = change.before->metadata();
      const api::Metadata& after = change.after->metadata();
      const bool same_owners =
          std::equal(before.owners.begin(), before.owners.end(), after.owners.begin(),
                     after.owners.end(), [](const auto& a, const auto& b) {
                       return a.uid == b.uid && a.controller == b.controller;
                     });
      if (before.uid == after.uid && before.being_deleted == after.being_deleted && same_owners) {
        return;
      }
    }
    for (const std::string& set : sets_of_claim(change.key.name)) {
      const Key key{change.key.name_space, set};
      if (sets_.cache().get(key) != nullptr) queue.add(key);
    }
  }

  void forget(const Key& key) {
    actions_.forget(key);
    history_.forget(key);
    status_writes_.forget(key);
  }

  Result<Again> work_on(const ObjectPtr& set, const Owner& owner,
                        const api::LabelSelector& selector, const std::vector<ObjectPtr>& pods) {
    const json::Document document = TRY(set->document());
    const api::View root = document.root();
    const StatefulFacts facts = TRY(read_stateful_set(*set));
    const Time now = clock_.now();
    StatefulStatus status = previous_status(*set, facts);
    // A set that is being deleted creates nothing; its revisions may be gone.
    if (set->metadata().being_deleted) {
      count_stateful_pods(status, pods, facts.min_ready_seconds, now);
      TRY(write(set, status));
      return Again{};
    }
    const std::vector<ObjectPtr> known = TRY(history_.claim(owner, selector));
    const History::Current update = TRY(history_.current(owner, root, known, facts.collisions));
    ObjectPtr current = find_revision(known, facts.current_revision);
    if (current == nullptr) current = update.revision;
    status.collisions = update.collisions;
    status.current_revision = current->metadata().name;
    status.update_revision = update.revision->metadata().name;
    count_stateful_pods(status, pods, facts.min_ready_seconds, now);

    const std::map<int64_t, ObjectPtr> by_ordinal = sorted(pods, facts);
    const StatefulSource source{owner, facts, root};
    const Round round{source, by_ordinal, current, update.revision};
    const Result<void> outcome = act(round, status, now);
    complete_update(status, facts);
    const Result<void> written = write(set, status);
    TRY(outcome);
    TRY(written);
    TRY(truncate(round, known));
    return Again{next_available(pods, facts.min_ready_seconds, now)};
  }

  static std::map<int64_t, ObjectPtr> sorted(const std::vector<ObjectPtr>& pods,
                                             const StatefulFacts& facts) {
    std::map<int64_t, ObjectPtr> by_ordinal;
    for (const ObjectPtr& pod : pods) {
      by_ordinal[*stateful_ordinal(facts.name, pod->metadata().name)] = pod;
    }
    return by_ordinal;
  }

  // As input of the plan. `pod`: null if it does not exist.
  StatefulMember member_of(const Round& round, int64_t ordinal, const ObjectPtr& pod,
                           Time now) const {
    const StatefulFacts& set = round.set.facts;
    StatefulMember member;
    member.ordinal = ordinal;
    actions_.look_at_claims(round.set, pod, member);
    if (pod == nullptr) return member;
    const PodFacts& facts = pod_facts(*pod);
    member.exists = true;
    member.finished = facts.finished();
    member.pending = facts.phase == PodPhase::kPending;
    member.being_deleted = facts.being_deleted;
    member.ready = facts.phase == PodPhase::kRunning && facts.ready;
    member.available = facts.available(set.min_ready_seconds, now);
    member.outdated = revision_hash_of(*pod) != round.update->metadata().name;
    member.unlike_identity =
        !has_stateful_identity(*pod) || !has_stateful_storage(*pod, set, ordinal);
    return member;
  }

  Result<void> act(const Round& round, StatefulStatus& status, Time now) {
    const StatefulFacts& set = round.set.facts;
    std::vector<StatefulMember> replicas;
    std::vector<StatefulMember> condemned;
    for (int64_t ordinal = set.start; ordinal < set.start + set.replicas; ++ordinal) {
      const auto found = round.pods.find(ordinal);
      const ObjectPtr pod = found == round.pods.end() ? nullptr : found->second;
      replicas.push_back(member_of(round, ordinal, pod, now));
    }
    for (auto pod = round.pods.rbegin(); pod != round.pods.rend(); ++pod) {
      if (set.wants(pod->first)) continue;
      condemned.push_back(member_of(round, pod->first, pod->second, now));
    }
    const StatefulPolicy policy{.parallel = set.parallel,
                                .updates = set.updates,
                                .first_updated = set.start + set.partition};
    for (const auto& stage : plan_stateful(policy, replicas, condemned)) {
      TRY(run(round, stage));
      for (const StatefulStep& step : stage) count_removed(round, step, status);
    }
    return {};
  }

  // The cache does not have the deletion yet.
  static void count_removed(const Round& round, const StatefulStep& step, StatefulStatus& status) {
    if (step.action != StatefulAction::kRemoveForUpdate) return;
    if (revision_hash_of(*round.pods.at(step.ordinal)) == status.current_revision) --status.current;
  }

  Result<void> run(const Round& round, const std::vector<StatefulStep>& stage) {
    if (!round.set.facts.parallel) {
      for (const StatefulStep& step : stage) TRY(take(round, step));
      return {};
    }
    return fan_out(pool_, stage.size(), [&](size_t i) { return take(round, stage[i]); }).outcome;
  }

  Result<void> take(const Round& round, const StatefulStep& step) {
    switch (step.action) {
      case StatefulAction::kCreate:
        return create(round, step.ordinal);
      case StatefulAction::kClaims:
        return actions_.put_claims(round.set, step.ordinal, round.pods.at(step.ordinal), true);
      case StatefulAction::kClaimOwners:
        return actions_.put_claims(round.set, step.ordinal, round.pods.at(step.ordinal), false);
      case StatefulAction::kRepair:
        return actions_.repair(round.set, step.ordinal, round.pods.at(step.ordinal));
      case StatefulAction::kRemove:
      case StatefulAction::kRemoveForUpdate:
        return actions_.remove(round.set, *round.pods.at(step.ordinal));
    }
    return {};
  }

  Result<void> create(const Round& round, int64_t ordinal) {
    const StatefulSource& set = round.set;
    const bool of_current = ordinal < set.facts.start + set.facts.made_of_current;
    const ObjectPtr& revision = of_current ? round.current : round.update;
    const std::string_view name = revision->metadata().name;
    if (revision == round.update) {
      const api::View now = set.root["spec"]["template"];
      return actions_.create(set, ordinal, new_stateful_pod(set, now, name, ordinal));
    }
    const json::Document then = TRY(history_.template_of(*revision));
    return actions_.create(set, ordinal, new_stateful_pod(set, then.root(), name, ordinal));
  }

  Result<void> write(const ObjectPtr& set, const StatefulStatus& status) {
    json::Document changed = TRY(set->document());
    put_stateful_status(api::Edit(changed), status);
    const Result<ObjectPtr> written = write_status(client_, resource_, set, std::move(changed));
    status_writes_.tried(Key::of(*set), written);
    return written ? Result<void>() : written.status();
  }

  // Revisions in use do not count towards the limit.
  Result<void> truncate(const Round& round, const std::vector<ObjectPtr>& known) {
    std::set<std::string_view> used{round.current->metadata().name, round.update->metadata().name};
    for (const auto& [ordinal, pod] : round.pods) used.insert(revision_hash_of(*pod));
    std::vector<ObjectPtr> unused;
    for (const ObjectPtr& one : known) {
      if (!used.contains(one->metadata().name)) unused.push_back(one);
    }
    const int64_t limit = round.set.facts.history_limit;
    for (const ObjectPtr& one :
         surplus_revisions(unused, limit, [](const auto&) { return false; })) {
      TRY(history_.remove(round.set.owner, *one));
    }
    return {};
  }

  const client::BoundedClient client_;
  Clock& clock_;
  WorkerPool& pool_;
  const api::Resource& resource_;
  client::Informer& sets_;
  Claimer claimer_;
  History history_;
  StatefulActions actions_;
  Freshness status_writes_;
};

}  // namespace stateful_sets

std::unique_ptr<Controller> make_stateful_set_controller(const ControllerContext& context) {
  return std::make_unique<stateful_sets::StatefulSets>(context);
}

}  // namespace proa::controllers
