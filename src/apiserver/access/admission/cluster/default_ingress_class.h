#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// DefaultIngressClass: a new Ingress that names no class gets the default one, if there is one.
Result<std::unique_ptr<AdmissionPlugin>> make_default_ingress_class(
    const AdmissionContext& context);

}  // namespace proa::apiserver
