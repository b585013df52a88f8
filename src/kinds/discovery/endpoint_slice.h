#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules endpoint_slice_rules();

}  // namespace proa::kinds
