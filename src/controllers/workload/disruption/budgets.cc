#include "controllers/workload/disruption/budgets.h"

#include "api/selector/label_selector.h"
#include "controllers/framework/owners.h"
#include "controllers/framework/selector_text.h"
#include "controllers/framework/writes.h"
#include "controllers/pods/pod_facts.h"
#include "controllers/workload/disruption/budget_numbers.h"
#include "controllers/workload/disruption/expected_pods.h"
#include "controllers/workload/objects/disruption_budget.h"
#include "json/parse.h"

namespace proa::controllers {
namespace disruption::budgets {

using api::Edit;
using api::ObjectPtr;
using client::Again;
using client::Key;

// What is read of a budget for every change of a pod, once per version of the budget.
struct BudgetFacts {
  Result<api::LabelSelector> selector = api::LabelSelector::nothing();
  bool needs_expected_count = false;

  bool selects(const ObjectPtr& pod) const {
    return pod != nullptr && selector && selector->matches(pod->metadata().labels);
  }
};

BudgetFacts read_facts(const api::Object& object) {
  BudgetFacts facts;
  const Result<objects::DisruptionBudget> budget = api::decode<objects::DisruptionBudget>(object);
  if (!budget) return facts;
  facts.needs_expected_count = needs_expected_count(budget->spec);
  if (budget->spec.selector.empty()) return facts;
  const Result<json::Document> selector = json::parse(budget->spec.selector.text);
  if (!selector) return facts;
  facts.selector = api::LabelSelector::from(selector->root());
  return facts;
}

const BudgetFacts& budget_facts(const api::Object& budget) {
  return budget.kept<BudgetFacts>([&] { return read_facts(budget); });
}

std::string_view controller_uid(const api::Object& pod) {
  const api::Metadata::Owner* owner = controller_of(pod);
  return owner == nullptr ? std::string_view() : owner->uid;
}

// Whether the change of a pod does not matter to budgets.
bool counts_the_same(const api::Object& before, const api::Object& after) {
  return before.metadata().uid == after.metadata().uid &&
         before.metadata().being_deleted == after.metadata().being_deleted &&
         pod_facts(before).ready == pod_facts(after).ready &&
         before.metadata().labels == after.metadata().labels &&
         controller_uid(before) == controller_uid(after);
}

// Retrying does not help; an event requeues the budget.
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
        if (budget_facts(*budget).needs_expected_count) queue.add(Key::of(*budget));
      }
    });
  }

  Result<Again> reconcile(const Key& key) override {
    const ObjectPtr budget = budgets_.cache().get(key);
    if (budget == nullptr) return Again{};
    const BudgetFacts& facts = budget_facts(*budget);
    if (!facts.selector) {
      return fail(budget, facts.selector.status(), "NoPods", "Failed to get pods: ");
    }
    const std::vector<ObjectPtr> pods = pods_of(key.name_space, facts);
    Result<ExpectedPods::Count> count =
        facts.needs_expected_count
            ? expected_.count(pods)
            : ExpectedPods::Count{.expected = static_cast<int64_t>(pods.size())};
    if (!count) {
      return fail(budget, count.status(), "CalculateExpectedPodCountFailed",
                  "Failed to calculate the number of expected pods: ");
    }
    return write_numbers(budget, pods, *count);
  }

 private:
  // Queues the budgets that select the pod, before or after the change.
  void wake(const client::Change& change, client::WorkQueue& queue) {
    const bool both = change.before != nullptr && change.after != nullptr;
    if (both && counts_the_same(*change.before, *change.after)) return;
    std::vector<ObjectPtr> found;
    for (const ObjectPtr& budget : budgets_.cache().list(change.key.name_space)) {
      const BudgetFacts& facts = budget_facts(*budget);
      if (facts.selects(change.after)) found.push_back(budget);
      if (facts.selects(change.after) || facts.selects(change.before)) queue.add(Key::of(*budget));
    }
    if (found.size() > 1) warn_of_multiple(*change.after, *found.front());
  }

  // The eviction API refuses such a pod.
  void warn_of_multiple(const api::Object& pod, const api::Object& first) {
    const api::Metadata& metadata = pod.metadata();
    events_.warning(client::ObjectReference::to(pod), "MultiplePodDisruptionBudgets",
                    "Pod \"" + std::string(metadata.name_space) + "\"/\"" +
                        std::string(metadata.name) +
                        "\" matches multiple PodDisruptionBudgets.  Chose \"" +
                        std::string(first.metadata().name) + "\" arbitrarily.");
  }

  std::vector<ObjectPtr> pods_of(const std::string& name_space, const BudgetFacts& facts) const {
    if (facts.selector->matches_nothing()) return {};
    std::vector<ObjectPtr> pods = pods_.cache().list(name_space);
    std::erase_if(pods, [&](const ObjectPtr& pod) { return !facts.selects(pod); });
    return pods;
  }

  Result<Again> write_numbers(const ObjectPtr& budget, const std::vector<ObjectPtr>& pods,
                              const ExpectedPods::Count& count) {
    const objects::DisruptionBudget read = TRY(api::decode<objects::DisruptionBudget>(*budget));
    json::Document document = TRY(budget->document());
    const Time now = clock_.now();
    const Disrupted disrupted = still_disrupted(pods, read.status, now);
    put_numbers(Edit(document),
                {.healthy = count_healthy(pods, disrupted),
                 .desired = desired_healthy(read.spec, count.expected),
                 .expected = count.expected},
                disrupted, now);
    const ObjectPtr written = TRY(write_status(client_, resource_, budget, std::move(document)));
    if (written != budget) record_events(*budget, read.spec, pods, count, disrupted);
    return Again{disrupted.recheck.value_or(Duration::zero())};
  }

  void record_events(const api::Object& budget, const objects::DisruptionBudgetSpec& spec,
                     const std::vector<ObjectPtr>& pods, const ExpectedPods::Count& count,
                     const Disrupted& disrupted) {
    const auto about = client::ObjectReference::to(budget);
    if (pods.empty()) events_.normal(about, "NoPods", "No matching pods found");
    if (!count.unmanaged.empty()) {
      events_.warning(
          about, "UnmanagedPods",
          "Pods selected by this PodDisruptionBudget (selector: " + selector_text(spec) +
              ") were found to be unmanaged. As a result, the status of the PDB cannot be "
              "calculated correctly, which may result in undefined behavior. To account for these "
              "pods please set \".spec.minAvailable\" field of the PDB to an integer value.");
    }
    // Upstream prints the namespace twice instead of the budget's name.
    const std::string name(budget.metadata().name_space);
    for (const ObjectPtr& pod : disrupted.expired) {
      events_.warning(
          client::ObjectReference::to(*pod), "NotDeleted",
          "Pod was expected by PDB " + name + "/" + name + " to be deleted but it wasn't");
    }
  }

  static std::string selector_text(const objects::DisruptionBudgetSpec& spec) {
    const Result<json::Document> selector =
        spec.selector.empty() ? json::Document() : json::parse(spec.selector.text);
    return go_selector_text(selector ? api::View(selector->root()) : api::View());
  }

  Result<Again> fail(const ObjectPtr& budget, const Status& why, std::string_view event,
                     const std::string& prefix) {
    json::Document document = TRY(budget->document());
    put_failure(Edit(document), why.message(), clock_.now());
    const ObjectPtr written = TRY(write_status(client_, resource_, budget, std::move(document)));
    if (written != budget) {
      events_.warning(client::ObjectReference::to(*budget), event, prefix + why.message());
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
