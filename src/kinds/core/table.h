#pragma once

#include <span>

#include "kinds/rules.h"

namespace proa::kinds {

// The kinds of the core group but Pod and PodTemplate, which have a folder of their own.
std::span<const KindRules> core_rules();
std::span<const TypeDefaults> core_type_defaults();

}  // namespace proa::kinds
