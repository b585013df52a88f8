#include "controllers/workload/disruption/stale_targets.h"

#include <optional>

#include "controllers/framework/conditions.h"
#include "controllers/framework/times.h"
#include "controllers/framework/writes.h"
#include "controllers/pods/pod_facts.h"

namespace proa::controllers {
namespace disruption::stale_targets {

using api::Edit;
using api::ObjectPtr;
using api::View;
using client::Again;
using client::Key;

constexpr std::string_view kCondition = "DisruptionTarget";
// How long after the condition was set the pod must be deleted.
constexpr Duration kStaleConditionTimeout = std::chrono::minutes(2);

// Few pods have the condition; a text search rules out most of them.
bool may_be_target(const ObjectPtr& pod) {
  return pod != nullptr && !pod->metadata().being_deleted &&
         pod->json().find("\"DisruptionTarget\"") != std::string_view::npos;
}

// When the condition was set; nullopt if the pod is not a target. Terminations by the kubelet may
// take longer, and finished pods are not deleted by a disruption.
std::optional<Time> target_since(const api::Object& pod, View status) {
  const View condition = find_condition(status, kCondition);
  if (condition["status"].text() != "True" || pod_facts(pod).finished()) return std::nullopt;
  if (condition["reason"].text() == "TerminationByKubelet") return std::nullopt;
  return time_of(condition["lastTransitionTime"]).value_or(Time{});
}

class StaleTargets final : public Controller {
 public:
  explicit StaleTargets(const ControllerContext& context)
      : client_(context.client),
        clock_(context.clock),
        resource_(*context.schema.find_resource("", "v1", "pods")),
        pods_(context.informers.of("", "pods")) {}

  void listen(client::WorkQueue& queue) override {
    pods_.add_handler([&queue](const client::Change& change) {
      if (may_be_target(change.after)) queue.add(change.key);
    });
  }

  Result<Again> reconcile(const Key& key) override {
    const ObjectPtr pod = pods_.cache().get(key);
    if (!may_be_target(pod)) return Again{};
    json::Document document = TRY(pod->document());
    const Edit status = Edit(document).object("status");
    const std::optional<Time> since = target_since(*pod, status.view());
    if (!since) return Again{};
    const Duration left = *since + kStaleConditionTimeout - clock_.now();
    if (left > Duration::zero()) return Again{left};
    set_condition(
        status,
        {.type = kCondition, .status = "False", .observed_generation = pod->metadata().generation},
        clock_.now());
    TRY(unless_gone(write_status(client_, resource_, pod, std::move(document))));
    return Again{};
  }

 private:
  const client::BoundedClient client_;
  Clock& clock_;
  const api::Resource& resource_;
  client::Informer& pods_;
};

}  // namespace disruption::stale_targets

std::unique_ptr<Controller> make_stale_disruption_controller(const ControllerContext& context) {
  return std::make_unique<disruption::stale_targets::StaleTargets>(context);
}

}  // namespace proa::controllers
