#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// NamespaceLifecycle: rejects creates in missing or terminating namespaces, and deletion of the
// built-in namespaces.
Result<std::unique_ptr<AdmissionPlugin>> make_namespace_lifecycle(const AdmissionContext& context);

}  // namespace proa::apiserver
