#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules runtime_class_rules();

}  // namespace proa::kinds
