#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules cluster_role_rules();
KindRules role_rules();

}  // namespace proa::kinds
