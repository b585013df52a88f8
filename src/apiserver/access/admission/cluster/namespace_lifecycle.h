#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// NamespaceLifecycle: nothing is made in a namespace that is not there or on its way out, and the
// namespaces that a cluster can't do without stay.
Result<std::unique_ptr<AdmissionPlugin>> make_namespace_lifecycle(const AdmissionContext& context);

}  // namespace proa::apiserver
