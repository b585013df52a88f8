#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules service_cidr_rules();

}  // namespace proa::kinds
