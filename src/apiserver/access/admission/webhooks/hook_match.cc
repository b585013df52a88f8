#include "apiserver/access/admission/webhooks/hook_match.h"

#include "apiserver/request/failures.h"
#include "base/log.h"

namespace proa::apiserver {
namespace hook_match {

const Log kLog{"webhooks"};

}  // namespace hook_match

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
  if (!holds) {
    // Upstream's answer does not tell whose condition it is.
    if (const auto omitted = hook.failures_logged.next()) {
      hook_match::kLog.warn("match conditions failed, the request is refused",
                            {{"configuration", hook.configuration},
                             {"webhook", hook.name},
                             {"why", holds.status()},
                             {"omitted", *omitted}});
    }
    return inputs.subject().admission().forbidden(inputs.subject().object(),
                                                  holds.status().message());
  }
  if (*holds) return matched;
  metrics.count_exclusion(owner, operation);
  return std::optional<Matched>();
}

}  // namespace proa::apiserver
