#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules flow_schema_rules();

}  // namespace proa::kinds
