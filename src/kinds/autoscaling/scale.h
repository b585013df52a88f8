#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules scale_rules();

}  // namespace proa::kinds
