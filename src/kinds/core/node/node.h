#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules node_rules();

// podCIDR and podCIDRs say the same.
void default_node_spec(api::Edit spec);
void default_node_status(api::Edit status);

}  // namespace proa::kinds
