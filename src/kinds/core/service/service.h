#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules service_rules();

void default_service(api::Edit service);

}  // namespace proa::kinds
