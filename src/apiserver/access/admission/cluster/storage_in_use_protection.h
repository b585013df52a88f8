#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// StorageObjectInUseProtection: adds the protection finalizer to new volumes, claims and
// VolumeAttributesClasses; controllers remove it when they are no longer in use.
Result<std::unique_ptr<AdmissionPlugin>> make_storage_in_use_protection(
    const AdmissionContext& context);

}  // namespace proa::apiserver
