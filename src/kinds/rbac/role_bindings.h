#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules cluster_role_binding_rules();
KindRules role_binding_rules();

}  // namespace proa::kinds
