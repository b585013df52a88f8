#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules ip_address_rules();

}  // namespace proa::kinds
