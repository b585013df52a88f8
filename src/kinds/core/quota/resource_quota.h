#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules resource_quota_rules();

}  // namespace proa::kinds
