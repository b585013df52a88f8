#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// StorageObjectInUseProtection: new volumes, claims and classes of volume attributes get the
// finalizer with which controllers keep them for as long as they are used.
Result<std::unique_ptr<AdmissionPlugin>> make_storage_in_use_protection(
    const AdmissionContext& context);

}  // namespace proa::apiserver
