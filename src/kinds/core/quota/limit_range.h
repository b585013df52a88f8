#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules limit_range_rules();

// Of one item: what a container gets follows from the bounds.
void default_limit_range_item(api::Edit item);

}  // namespace proa::kinds
