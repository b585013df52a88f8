#include "apiserver/access/admission/webhooks/hook_match.h"

#include "apiserver/request/failures.h"

namespace proa::apiserver {

bool is_exempt_from_webhooks(const Request& request) {
  if (configures_admission(request)) return true;
  return request.resource->group == "coordination.k8s.io" && request.resource->name == "leases" &&
         (request.name_space == "kube-system" || request.name_space == "kube-node-lease");
}

Result<std::optional<Matched>> match_hook(const AdmissionHook& hook, AdmissionStep step,
                                          RequestInputs& inputs, const Equivalents& equivalents,
                                          AdmissionMetrics& metrics) {
  const std::optional<Matched> matched = TRY(hook.criteria.match(inputs.subject(), equivalents));
  if (!matched || hook.conditions.empty()) return matched;
  const Result<cel::AdmissionInputs> values = inputs.for_conditions(*matched, {});
  if (!values) return internal_error(values.status().message());
  const ConditionOwner owner{
      .name = hook.name, .kind = ConditionOwner::Kind::kWebhook, .step = step};
  const Operation operation = inputs.subject().admission().operation;
  const Result<bool> holds = hook.conditions.match(
      *values, inputs.arena(), {.metrics = metrics, .owner = owner, .operation = operation});
  if (!holds)
    return inputs.subject().admission().forbidden(inputs.subject().object(),
                                                  holds.status().message());
  if (*holds) return matched;
  metrics.count_exclusion(owner, operation);
  return std::optional<Matched>();
}

}  // namespace proa::apiserver
