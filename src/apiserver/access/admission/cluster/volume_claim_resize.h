#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// PersistentVolumeClaimResize: allows expansion only of bound claims whose class allows it.
Result<std::unique_ptr<AdmissionPlugin>> make_volume_claim_resize(const AdmissionContext& context);

}  // namespace proa::apiserver
