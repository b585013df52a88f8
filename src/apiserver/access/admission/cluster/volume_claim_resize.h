#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// PersistentVolumeClaimResize: a claim grows only when it is bound and its class allows that.
Result<std::unique_ptr<AdmissionPlugin>> make_volume_claim_resize(const AdmissionContext& context);

}  // namespace proa::apiserver
