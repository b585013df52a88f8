#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// Refuses writes, warns about them and annotates them as ValidatingAdmissionPolicies say.
Result<std::unique_ptr<AdmissionPlugin>> make_validating_policies(const AdmissionContext& context);

}  // namespace proa::apiserver
