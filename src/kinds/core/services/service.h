#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules service_rules();

}  // namespace proa::kinds
