#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules ingress_rules();

}  // namespace proa::kinds
