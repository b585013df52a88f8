#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules replication_controller_rules();

}  // namespace proa::kinds
