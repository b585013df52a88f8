#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules node_rules();

}  // namespace proa::kinds
