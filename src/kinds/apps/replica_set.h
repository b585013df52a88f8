#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules replica_set_rules();

}  // namespace proa::kinds
