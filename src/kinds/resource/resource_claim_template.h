#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules resource_claim_template_rules();

}  // namespace proa::kinds
