#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// The webhooks of MutatingWebhookConfigurations and of ValidatingWebhookConfigurations. They block
// for as long as their webhooks take.
Result<std::unique_ptr<AdmissionPlugin>> make_mutating_webhooks(const AdmissionContext& context);
Result<std::unique_ptr<AdmissionPlugin>> make_validating_webhooks(const AdmissionContext& context);

}  // namespace proa::apiserver
