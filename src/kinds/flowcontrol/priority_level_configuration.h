#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules priority_level_configuration_rules();

}  // namespace proa::kinds
