#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// DefaultStorageClass: sets the default class, if any, on a new PersistentVolumeClaim without one.
Result<std::unique_ptr<AdmissionPlugin>> make_default_storage_class(
    const AdmissionContext& context);

}  // namespace proa::apiserver
