#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules events_event_rules();

}  // namespace proa::kinds
