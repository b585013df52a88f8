#include "apiserver/access/admission/webhooks/hook_match.h"

namespace proa::apiserver {

Result<std::optional<Matched>> match_hook(const AdmissionHook& hook, RequestInputs& inputs,
                                          const Equivalents& equivalents) {
  const std::optional<Matched> matched = TRY(hook.criteria.match(inputs.subject(), equivalents));
  if (!matched || hook.conditions.empty()) return matched;
  const Result<cel::AdmissionInputs> values = inputs.for_conditions(*matched, {});
  if (!values)
    return Status(Reason::kInternalError, "Internal error occurred: " + values.status().message());
  const Result<bool> holds = hook.conditions.match(*values, inputs.arena());
  if (!holds)
    return inputs.subject().admission().forbidden(inputs.subject().object(),
                                                  holds.status().message());
  return *holds ? matched : std::optional<Matched>();
}

}  // namespace proa::apiserver
