#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules lease_rules();

}  // namespace proa::kinds
