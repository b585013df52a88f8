#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// The rules of all custom kinds, besides their schemas.
KindRules custom_object_rules();

}  // namespace proa::kinds
