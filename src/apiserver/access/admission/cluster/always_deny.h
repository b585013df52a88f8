#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// AlwaysDeny: refuses every change.
Result<std::unique_ptr<AdmissionPlugin>> make_always_deny(const AdmissionContext& context);

}  // namespace proa::apiserver
