#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// AlwaysDeny: rejects every write.
Result<std::unique_ptr<AdmissionPlugin>> make_always_deny(const AdmissionContext& context);

}  // namespace proa::apiserver
