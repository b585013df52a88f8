#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules pod_disruption_budget_rules();

}  // namespace proa::kinds
