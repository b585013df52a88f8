#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// DefaultIngressClass: sets the default class, if any, on a new Ingress without one.
Result<std::unique_ptr<AdmissionPlugin>> make_default_ingress_class(
    const AdmissionContext& context);

}  // namespace proa::apiserver
