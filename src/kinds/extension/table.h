#pragma once

#include <span>

#include "kinds/rules.h"

namespace proa::kinds {

// How the API is extended: groups admissionregistration.k8s.io, apiextensions.k8s.io and
// apiregistration.k8s.io.
std::span<const KindRules> extension_rules();
std::span<const TypeDefaults> extension_type_defaults();

}  // namespace proa::kinds
