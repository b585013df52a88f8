#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules service_account_rules();

}  // namespace proa::kinds
