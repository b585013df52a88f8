#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules binding_rules();

}  // namespace proa::kinds
