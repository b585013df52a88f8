#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules network_policy_rules();

}  // namespace proa::kinds
