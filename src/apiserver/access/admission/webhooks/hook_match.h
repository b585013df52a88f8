#pragma once

#include <optional>

#include "apiserver/access/admission/matching/inputs.h"
#include "apiserver/access/admission/webhooks/admission_hook.h"

namespace proa::apiserver {

// As which version the webhook is asked about the request; nullopt: it is not asked. Fails if its
// conditions do, or if they cannot be evaluated.
Result<std::optional<Matched>> match_hook(const AdmissionHook& hook, AdmissionStep step,
                                          RequestInputs& inputs, const Equivalents& equivalents,
                                          AdmissionMetrics& metrics);

}  // namespace proa::apiserver
