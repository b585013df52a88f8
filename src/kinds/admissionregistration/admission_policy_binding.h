#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules mutating_admission_policy_binding_rules();
KindRules validating_admission_policy_binding_rules();

}  // namespace proa::kinds
