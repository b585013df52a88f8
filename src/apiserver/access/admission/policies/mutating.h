#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// Changes objects as MutatingAdmissionPolicies say, before they are validated and stored.
Result<std::unique_ptr<AdmissionPlugin>> make_mutating_policies(const AdmissionContext& context);

}  // namespace proa::apiserver
