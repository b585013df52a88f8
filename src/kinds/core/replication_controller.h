#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules replication_controller_rules();

// Selector and labels are those of the template, where none were given.
void default_replication_controller(api::Edit controller);

}  // namespace proa::kinds
