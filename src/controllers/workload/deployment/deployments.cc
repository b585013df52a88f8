#include "controllers/workload/deployment/deployments.h"

#include <fmt/format.h>

#include "controllers/framework/owners.h"
#include "controllers/framework/writes.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/workload/deployment/rollback.h"
#include "controllers/workload/deployment/scaling.h"
#include "controllers/workload/deployment/set_writer.h"
#include "controllers/workload/deployment/status.h"
#include "controllers/workload/deployment/templates.h"
#include "controllers/workload/deployment/wake.h"
#include "json/print.h"

namespace proa::controllers::deployments {
namespace controller {

using client::Again;
using client::Key;

// The state of one reconcile.
struct Work {
  const Key& key;
  const api::ObjectPtr& object;
  const DeploymentFacts& facts;
  Owner owner;
  json::Document document;  // with edited status and annotations
  Sets sets = {};

  api::Edit status() { return api::Edit(document).object("status"); }
  api::View view() const { return document.root(); }
  int64_t generation() const { return object->metadata().generation; }
  Writing writing() const { return {key, owner, view(), facts}; }
};

class Deployments final : public Controller {
 public:
  explicit Deployments(const ControllerContext& context)
      : client_(context.client),
        clock_(context.clock),
        events_(context.events),
        resource_(*context.schema.find_resource("apps", "v1", "deployments")),
        deployments_(context.informers.of("apps", "deployments")),
        sets_(context.informers.by_controller("apps", "replicasets")),
        pods_(context.informers.by_controller("", "pods")),
        digests_(context.schema, kHashLabel),
        claimer_(context, "apps", "replicasets"),
        sets_written_(sets_),
        own_written_(deployments_),
        writer_(context, sets_written_) {}

  void listen(client::WorkQueue& queue) override {
    deployments_.add_handler([&queue](const client::Change& change) { queue.add(change.key); });
    listen_for_owned(
        sets_,
        {.cache = deployments_.cache(),
         .kind = "Deployment",
         .selector =
             [](const api::Object& deployment) { return &deployment_facts(deployment).selector; }},
        queue);
    pods_.add_handler([this, &queue](const client::Change& change) {
      wake_for_pod(change, deployments_.cache(), sets_.cache(), queue);
    });
  }

  Result<Again> reconcile(const Key& key) override {
    const api::ObjectPtr object = deployments_.cache().get(key);
    if (object == nullptr) {
      sets_written_.forget(key);
      own_written_.forget(key);
      return Again{};
    }
    if (!sets_written_.is_fresh(key) || !own_written_.is_fresh(key)) return kNotYet;
    Result<Again> outcome = sync(key, object);
    // Creation fails in a terminating namespace; no retry.
    if (!outcome && is_namespace_terminating(outcome.status())) return Again{};
    return outcome;
  }

 private:
  Result<Again> sync(const Key& key, const api::ObjectPtr& object) {
    Work work{.key = key,
              .object = object,
              .facts = deployment_facts(*object),
              .owner = {resource_, *object},
              .document = {}};
    work.document = TRY(object->document());
    TRY(gather(work));
    if (work.sets.newest) TRY(update_newest(work));
    if (object->metadata().being_deleted) return sync_status(work);
    put_pause(work.status(), work.facts, clock_.now());
    if (work.facts.paused) return scale(work);
    if (work.facts.rollback_to) return roll_back(work);
    if (was_scaled(work.facts, work.sets)) return scale(work);
    return work.facts.rolling ? roll(work) : recreate(work);
  }

  Result<void> gather(Work& work) {
    const auto claimed = TRY(claimer_.claim(work.owner, work.facts.selector));
    for (const api::ObjectPtr& set : claimed) work.sets.all.push_back({set, set_facts(*set)});
    sort_by_age(work.sets.all);
    const TemplateDigest& wanted = digests_.of_owner(*work.object);
    for (size_t i = 0; i < work.sets.all.size() && !work.sets.newest; ++i) {
      if (digests_.of_owner(*work.sets.all[i].object) == wanted) work.sets.newest = i;
    }
    return {};
  }

  // Updates the newest set's annotations and the Deployment's revision.
  Result<void> update_newest(Work& work) {
    OwnedSet& newest = work.sets.all[*work.sets.newest];
    TRY(writer_.follow(work.writing(), newest, last_old_revision(work.sets) + 1));
    note_revision(work, newest);
    put_found(work.status(), work.facts, newest.facts.name, clock_.now());
    return {};
  }

  static void note_revision(Work& work, const OwnedSet& newest) {
    api::Edit(work.document)
        .object("metadata")
        .object("annotations")
        .set(kRevision, std::to_string(newest.facts.revision));
  }

  Result<void> create_newest(Work& work) {
    const std::optional<int64_t> collisions =
        work.status().has("collisionCount")
            ? std::optional(work.status()["collisionCount"].integer())
            : std::nullopt;
    const NewSet wanted{.hash = template_hash(digests_.of_owner(*work.object), collisions),
                        .replicas = size_of_newest(work.facts, work.sets.total(), 0),
                        .revision = last_old_revision(work.sets) + 1};
    Result<api::ObjectPtr> created = writer_.create(work.writing(), wanted);
    const std::string name = wanted.name(work.owner);
    if (created.is(Reason::kAlreadyExists)) return resolve_collision(work, name, created.status());
    if (!created) return report_create_failure(work, name, created.status());
    work.sets.newest = work.sets.all.size();
    work.sets.all.push_back({*created, set_facts(**created)});
    note_revision(work, work.sets.all.back());
    put_created(work.status(), work.facts, name, clock_.now());
    return {};
  }

  // Another set has the name. The collision count gives a new name in the next reconcile.
  Result<void> resolve_collision(Work& work, const std::string& name, const Status& failure) {
    const api::ObjectPtr other = TRY(writer_.look({work.key.name_space, name}));
    const auto* owner = controller_of(*other);
    const bool ours = owner != nullptr && owner->uid == work.object->metadata().uid &&
                      digests_.of_owner(*other) == digests_.of_owner(*work.object);
    if (ours) return failure;  // the cache is stale
    const api::Edit status = work.status();
    status.set("collisionCount", status["collisionCount"].integer() + 1);
    TRY(commit(work));
    return failure;
  }

  Result<void> report_create_failure(Work& work, const std::string& name, const Status& failure) {
    if (is_namespace_terminating(failure)) return failure;
    const std::string message =
        fmt::format("Failed to create new replica set \"{}\": {}", name, failure.message());
    put_not_created(work.status(), work.facts, message, clock_.now());
    TRY(commit(work));
    events_.warning(client::ObjectReference::to(*work.object), "ReplicaSetCreateError", message);
    return failure;
  }

  Result<void> resize(Work& work, const std::vector<Resize>& plan) {
    for (const Resize& one : plan) {
      TRY(writer_.resize(work.writing(), work.sets.all[one.set], one.replicas));
    }
    return {};
  }

  // For a new spec.replicas, and while paused.
  Result<Again> scale(Work& work) {
    TRY(resize(work, plan_scaling(work.facts, work.sets)));
    if (work.facts.paused && !work.facts.rollback_to) TRY(clean_up(work));
    return sync_status(work);
  }

  Result<Again> roll(Work& work) {
    if (!work.sets.newest) TRY(create_newest(work));
    const std::vector<Resize> plan = plan_rolling(work.facts, work.sets);
    TRY(resize(work, plan));
    if (plan.empty()) TRY(clean_up_if_complete(work));
    return sync_progress(work);
  }

  Result<Again> recreate(Work& work) {
    const std::vector<Resize> plan = plan_recreate(work.sets);
    TRY(resize(work, plan));
    if (!plan.empty() || old_pods_run(work.sets)) return sync_progress(work);
    if (!work.sets.newest) TRY(create_newest(work));
    OwnedSet& newest = work.sets.all[*work.sets.newest];
    if (newest.facts.replicas != work.facts.replicas) {
      TRY(writer_.resize(work.writing(), newest, work.facts.replicas));
    }
    TRY(clean_up_if_complete(work));
    return sync_progress(work);
  }

  // Terminating pods count: they may still run.
  bool old_pods_run(const Sets& sets) const {
    for (size_t i = 0; i < sets.all.size(); ++i) {
      if (!sets.is_old(i)) continue;
      if (sets.at(i).current > 0) return true;
      const std::string uid(sets.all[i].object->metadata().uid);
      for (const api::ObjectPtr& pod : pods_.cache().find("controller", uid)) {
        if (!pod_facts(*pod).finished()) return true;
      }
    }
    return false;
  }

  Result<void> clean_up_if_complete(Work& work) {
    const Counts counts = read_counts(work.status().view());
    if (!is_complete(work.facts, counts, work.generation())) return {};
    return clean_up(work);
  }

  Result<void> clean_up(Work& work) {
    for (const size_t i : sets_to_forget(work.facts, work.sets)) {
      TRY(writer_.remove(work.writing(), work.sets.all[i]));
    }
    return {};
  }

  Result<Again> roll_back(Work& work) {
    if (!work.sets.newest) TRY(create_newest(work));
    // The status first: the update below does not write it.
    if (TRY(commit(work))) return Again{};
    const Rollback plan = plan_rollback(work.facts, work.sets, work.object->metadata().name);
    if (plan.set) {
      const json::Document set = TRY(work.sets.all[*plan.set].object->document());
      take_template_of(api::Edit(work.document), set.root());
    }
    clear_rollback(api::Edit(work.document));
    TRY(write(work, ""));
    const auto about = client::ObjectReference::to(*work.object);
    if (plan.set) {
      events_.normal(about, plan.reason, plan.message);
    } else {
      events_.warning(about, plan.reason, plan.message);
    }
    return Again{};
  }

  Result<Again> sync_status(Work& work) {
    const Counts counts = count_pods(work.sets, work.generation());
    put_counts(work.status(), counts);
    put_available(work.status(), work.facts, counts, clock_.now());
    TRY(commit(work));
    return Again{};
  }

  Result<Again> sync_progress(Work& work) {
    const Time now = clock_.now();
    const std::string subject =
        work.sets.newest ? fmt::format("ReplicaSet \"{}\"", work.sets.at(*work.sets.newest).name)
                         : fmt::format("Deployment \"{}\"", work.object->metadata().name);
    const Progress progress{.subject = subject,
                            .before = read_counts(work.status().view()),
                            .after = count_pods(work.sets, work.generation()),
                            .generation = work.generation()};
    put_counts(work.status(), progress.after);
    put_available(work.status(), work.facts, progress.after, now);
    put_progress(work.status(), work.facts, progress, now);
    put_replica_failure(work.status(), work.sets);
    const Duration next = next_progress_check(work.status().view(), work.facts, now);
    TRY(commit(work));
    return Again{next};
  }

  // Writes status and annotations if they changed; true if they did. Then the document is moved:
  // it is the last use of `work`.
  Result<bool> commit(Work& work) {
    const json::Document before = TRY(work.object->document());
    const api::View was = before.root();
    if (was["status"] == work.view()["status"] &&
        was["metadata"]["annotations"] == work.view()["metadata"]["annotations"]) {
      return false;
    }
    TRY(write(work, "status"));
    return true;
  }

  Result<void> write(Work& work, std::string_view subresource) {
    const Result<api::ObjectPtr> written =
        client_.update(place_of(resource_, work.key, subresource), std::move(work.document), {});
    own_written_.tried(work.key, written);
    return unless_gone(written);
  }

  const client::BoundedClient client_;
  Clock& clock_;
  client::EventRecorder& events_;
  const api::Resource& resource_;
  client::Informer& deployments_;
  client::Informer& sets_;
  client::Informer& pods_;
  const TemplateDigests digests_;
  Claimer claimer_;
  Freshness sets_written_;
  Freshness own_written_;
  SetWriter writer_;
};

}  // namespace controller
}  // namespace proa::controllers::deployments

namespace proa::controllers {

std::unique_ptr<Controller> make_deployment_controller(const ControllerContext& context) {
  return std::make_unique<deployments::controller::Deployments>(context);
}

}  // namespace proa::controllers
