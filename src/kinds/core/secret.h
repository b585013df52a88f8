#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules secret_rules();

// stringData goes into data, and is never seen again.
void default_secret(api::Edit secret);

}  // namespace proa::kinds
