#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules job_rules();

}  // namespace proa::kinds
