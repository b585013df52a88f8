#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// AlwaysAdmit: no-op, for configurations that enable it.
Result<std::unique_ptr<AdmissionPlugin>> make_always_admit(const AdmissionContext& context);

}  // namespace proa::apiserver
