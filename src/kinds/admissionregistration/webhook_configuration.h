#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules mutating_webhook_configuration_rules();
KindRules validating_webhook_configuration_rules();

}  // namespace proa::kinds
