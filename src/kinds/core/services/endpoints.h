#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules endpoints_rules();

}  // namespace proa::kinds
