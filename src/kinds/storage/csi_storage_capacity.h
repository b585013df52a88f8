#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules csi_storage_capacity_rules();

}  // namespace proa::kinds
