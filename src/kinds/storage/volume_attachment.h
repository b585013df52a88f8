#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules volume_attachment_rules();

}  // namespace proa::kinds
