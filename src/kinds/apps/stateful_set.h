#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules stateful_set_rules();

}  // namespace proa::kinds
