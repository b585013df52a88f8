#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules controller_revision_rules();

}  // namespace proa::kinds
