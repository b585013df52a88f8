#pragma once

#include <optional>

#include "apiserver/access/admission/matching/inputs.h"
#include "apiserver/access/admission/webhooks/admission_hook.h"

namespace proa::apiserver {

// Whether no webhook is asked about the resource: about those that configure admission, and the
// Leases by which leaders and nodes are known to live. A broken webhook would otherwise be broken
// for good, together with the nodes it runs on.
bool is_exempt_from_webhooks(const Request& request);

// As which version the webhook is asked about the request; nullopt: it is not asked. Fails if its
// conditions do, or if they cannot be evaluated.
Result<std::optional<Matched>> match_hook(const AdmissionHook& hook, AdmissionStep step,
                                          RequestInputs& inputs, const Equivalents& equivalents,
                                          AdmissionMetrics& metrics);

}  // namespace proa::apiserver
