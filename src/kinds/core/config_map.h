#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules config_map_rules();

}  // namespace proa::kinds
