#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules resource_slice_rules();

}  // namespace proa::kinds
