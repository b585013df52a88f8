#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules ingress_class_rules();

}  // namespace proa::kinds
