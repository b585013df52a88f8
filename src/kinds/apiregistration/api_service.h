#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules api_service_rules();

}  // namespace proa::kinds
