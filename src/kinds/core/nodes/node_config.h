#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// spec.configSource and status.config: of no use any more, but still checked where they are.
void validate_node_config(View node, api::FieldErrors& errors);

}  // namespace proa::kinds
