#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules storage_class_rules();

}  // namespace proa::kinds
