#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules token_request_rules();

}  // namespace proa::kinds
