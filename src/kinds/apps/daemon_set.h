#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules daemon_set_rules();

}  // namespace proa::kinds
