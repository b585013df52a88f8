#pragma once

#include <span>

#include "kinds/rules.h"

namespace proa::kinds {

// Classes of storage, what CSI drivers tell about themselves, and devices: groups storage.k8s.io
// and resource.k8s.io.
std::span<const KindRules> storage_rules();
std::span<const TypeDefaults> storage_type_defaults();

}  // namespace proa::kinds
