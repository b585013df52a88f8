#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules component_status_rules();

}  // namespace proa::kinds
