#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules limit_range_rules();

}  // namespace proa::kinds
