#include "controllers/workload/disruption/budgets.h"

#include "api/selector/label_selector.h"
#include "controllers/framework/owners.h"
#include "controllers/framework/writes.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/workload/disruption/budget_numbers.h"
#include "controllers/workload/disruption/expected_pods.h"
#include "controllers/workload/disruption/selector_text.h"

namespace proa::controllers {
namespace disruption::budgets {

using api::Edit;
using api::ObjectPtr;
using api::View;
using client::Again;
using client::Key;

// What is asked of a budget for every pod that changes.
struct Wish {
  Result<api::LabelSelector> selector = api::LabelSelector::nothing();
  bool by_scale = false;

  bool wants(const ObjectPtr& pod) const {
    return pod != nullptr && selector && selector->matches(pod->metadata().labels);
  }
};

Wish read_wish(const api::Object& budget) {
  Wish wish;
  const Result<json::Document> document = budget.document();
  if (!document) return wish;
  const View spec = View(document->root())["spec"];
  wish.selector = api::LabelSelector::from(spec["selector"]);
  wish.by_scale = asks_for_scale(spec);
  return wish;
}

const Wish& wish_of(const api::Object& budget) {
  return budget.kept<Wish>([&] { return read_wish(budget); });
}

std::string_view controller_uid(const api::Object& pod) {
  const api::Metadata::Owner* owner = controller_of(pod);
  return owner == nullptr ? std::string_view() : owner->uid;
}

// Whether a budget counts it as before.
bool counts_the_same(const api::Object& before, const api::Object& after) {
  return before.metadata().uid == after.metadata().uid &&
         before.metadata().being_deleted == after.metadata().being_deleted &&
         pod_facts(before).ready == pod_facts(after).ready &&
         before.metadata().labels == after.metadata().labels &&
         controller_uid(before) == controller_uid(after);
}

// Nothing becomes better by trying again: what it waits for comes as an event.
bool is_final(const Status& status) {
  return status.is(Reason::kNotFound) || status.is(Reason::kBadRequest);
}

class Budgets final : public Controller {
 public:
  explicit Budgets(const ControllerContext& context)
      : client_(context.client),
        events_(context.events),
        clock_(context.clock),
        resource_(*context.schema.find_resource("policy", "v1", "poddisruptionbudgets")),
        budgets_(context.informers.of("policy", "poddisruptionbudgets")),
        pods_(context.informers.of("", "pods")),
        expected_(context) {}

  void listen(client::WorkQueue& queue) override {
    budgets_.add_handler([&queue](const client::Change& change) {
      if (change.after != nullptr) queue.add(change.key);
    });
    pods_.add_handler([this, &queue](const client::Change& change) { wake(change, queue); });
    expected_.listen([this, &queue](const std::string& name_space) {
      for (const ObjectPtr& budget : budgets_.cache().list(name_space)) {
        if (wish_of(*budget).by_scale) queue.add(Key::of(*budget));
      }
    });
  }

  Result<Again> reconcile(const Key& key) override {
    const ObjectPtr budget = budgets_.cache().get(key);
    if (budget == nullptr) return Again{};
    const Wish& wish = wish_of(*budget);
    if (!wish.selector) {
      return fail(budget, wish.selector.status(), "NoPods", "Failed to get pods: ");
    }
    const std::vector<ObjectPtr> pods = pods_of(key.name_space, wish);
    Result<ExpectedPods::Count> count =
        wish.by_scale ? expected_.count(pods)
                      : ExpectedPods::Count{.expected = static_cast<int64_t>(pods.size())};
    if (!count) {
      return fail(budget, count.status(), "CalculateExpectedPodCountFailed",
                  "Failed to calculate the number of expected pods: ");
    }
    return write_numbers(budget, pods, *count);
  }

 private:
  // All budgets that a pod belongs to, or belonged to, look again.
  void wake(const client::Change& change, client::WorkQueue& queue) {
    const bool both = change.before != nullptr && change.after != nullptr;
    if (both && counts_the_same(*change.before, *change.after)) return;
    std::vector<ObjectPtr> found;
    for (const ObjectPtr& budget : budgets_.cache().list(change.key.name_space)) {
      const Wish& wish = wish_of(*budget);
      if (wish.wants(change.after)) found.push_back(budget);
      if (wish.wants(change.after) || wish.wants(change.before)) queue.add(Key::of(*budget));
    }
    if (found.size() > 1) warn_of_many(*change.after, *found.front());
  }

  // The eviction API refuses such a pod.
  void warn_of_many(const api::Object& pod, const api::Object& first) {
    const api::Metadata& metadata = pod.metadata();
    events_.warning(client::ObjectReference::to(pod), "MultiplePodDisruptionBudgets",
                    "Pod \"" + std::string(metadata.name_space) + "\"/\"" +
                        std::string(metadata.name) +
                        "\" matches multiple PodDisruptionBudgets.  Chose \"" +
                        std::string(first.metadata().name) + "\" arbitrarily.");
  }

  std::vector<ObjectPtr> pods_of(const std::string& name_space, const Wish& wish) const {
    if (wish.selector->matches_nothing()) return {};
    std::vector<ObjectPtr> pods = pods_.cache().list(name_space);
    std::erase_if(pods, [&](const ObjectPtr& pod) { return !wish.wants(pod); });
    return pods;
  }

  Result<Again> write_numbers(const ObjectPtr& budget, const std::vector<ObjectPtr>& pods,
                              const ExpectedPods::Count& count) {
    json::Document document = TRY(budget->document());
    const Edit root(document);
    const Time now = clock_.now();
    const Disrupted disrupted = still_disrupted(pods, root["status"]["disruptedPods"], now);
    put_numbers(root,
                {.healthy = count_healthy(pods, disrupted),
                 .desired = desired_healthy(root["spec"], count.expected),
                 .expected = count.expected},
                disrupted, now);
    const ObjectPtr written = TRY(write_status(client_, resource_, budget, document.copy()));
    if (written != budget) tell(*budget, root["spec"]["selector"], pods, count, disrupted);
    return Again{disrupted.look_again.value_or(Duration::zero())};
  }

  // What is worth knowing when the numbers have changed.
  void tell(const api::Object& budget, View selector, const std::vector<ObjectPtr>& pods,
            const ExpectedPods::Count& count, const Disrupted& disrupted) {
    const auto about = client::ObjectReference::to(budget);
    if (pods.empty()) events_.normal(about, "NoPods", "No matching pods found");
    if (!count.unmanaged.empty()) {
      events_.warning(
          about, "UnmanagedPods",
          "Pods selected by this PodDisruptionBudget (selector: " + go_selector_text(selector) +
              ") were found to be unmanaged. As a result, the status of the PDB cannot be "
              "calculated correctly, which may result in undefined behavior. To account for these "
              "pods please set \".spec.minAvailable\" field of the PDB to an integer value.");
    }
    // Upstream says the namespace twice, where the budget's name was meant.
    const std::string name(budget.metadata().name_space);
    for (const ObjectPtr& pod : disrupted.stayed) {
      events_.warning(
          client::ObjectReference::to(*pod), "NotDeleted",
          "Pod was expected by PDB " + name + "/" + name + " to be deleted but it wasn't");
    }
  }

  Result<Again> fail(const ObjectPtr& budget, const Status& why, std::string_view event,
                     const std::string& saying) {
    json::Document document = TRY(budget->document());
    put_failure(Edit(document), why.message(), clock_.now());
    const ObjectPtr written = TRY(write_status(client_, resource_, budget, document.copy()));
    if (written != budget) {
      events_.warning(client::ObjectReference::to(*budget), event, saying + why.message());
    }
    if (is_final(why)) return Again{};
    return why;
  }

  const client::BoundedClient client_;
  client::EventRecorder& events_;
  Clock& clock_;
  const api::Resource& resource_;
  client::Informer& budgets_;
  client::Informer& pods_;
  const ExpectedPods expected_;
};

}  // namespace disruption::budgets

std::unique_ptr<Controller> make_disruption_controller(const ControllerContext& context) {
  return std::make_unique<disruption::budgets::Budgets>(context);
}

}  // namespace proa::controllers
