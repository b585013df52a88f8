#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules csi_node_rules();

}  // namespace proa::kinds
