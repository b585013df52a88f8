#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// spec.configSource and status.config: obsolete, but still validated.
void validate_node_config(View node, api::FieldErrors& errors);

}  // namespace proa::kinds
