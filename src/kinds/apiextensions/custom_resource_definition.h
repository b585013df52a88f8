#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules custom_resource_definition_rules();

}  // namespace proa::kinds
