#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// DefaultStorageClass: a new claim that names no class gets the default one, if there is one.
Result<std::unique_ptr<AdmissionPlugin>> make_default_storage_class(
    const AdmissionContext& context);

}  // namespace proa::apiserver
