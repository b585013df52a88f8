#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// AlwaysAdmit: does nothing, for configurations that name it.
Result<std::unique_ptr<AdmissionPlugin>> make_always_admit(const AdmissionContext& context);

}  // namespace proa::apiserver
