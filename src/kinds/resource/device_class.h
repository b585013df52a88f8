#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules device_class_rules();

}  // namespace proa::kinds
