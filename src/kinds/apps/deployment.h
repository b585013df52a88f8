#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules deployment_rules();

}  // namespace proa::kinds
