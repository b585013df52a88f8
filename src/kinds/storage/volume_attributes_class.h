#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules volume_attributes_class_rules();

}  // namespace proa::kinds
