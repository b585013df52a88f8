#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules secret_rules();

}  // namespace proa::kinds
