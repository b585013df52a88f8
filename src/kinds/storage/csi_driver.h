#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules csi_driver_rules();

}  // namespace proa::kinds
