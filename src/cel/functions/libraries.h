#pragma once

#include <memory>

#include "cel/types/declarations.h"

namespace proa::cel {

// The libraries of a Kubernetes version (1.minor), as upstream's base environment has them.
// The same object for the same version; any thread may ask.
std::shared_ptr<const Declarations> kubernetes_declarations(int minor_version);

}  // namespace proa::cel
