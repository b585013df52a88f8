#pragma once

#include <span>

#include "kinds/rules.h"

namespace proa::kinds {

// Pod and PodTemplate.
std::span<const KindRules> pod_rules();
std::span<const TypeDefaults> pod_type_defaults();

}  // namespace proa::kinds
