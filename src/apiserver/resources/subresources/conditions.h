#pragma once

#include <string_view>

#include "api/object/edit.h"
#include "base/time.h"

namespace proa::apiserver {

// An entry of status.conditions.
struct Condition {
  std::string_view type;
  std::string_view status;  // "True", "False", "Unknown"
  std::string_view reason = {};
  std::string_view message = {};
  int64_t observed_generation = 0;
};

// Replaces the condition of that type, or appends it. lastTransitionTime only changes with the
// status.
void set_condition(api::Edit status, const Condition& condition, Time now);

// The condition of that type; absent if there is none.
api::View find_condition(api::View status, std::string_view type);

}  // namespace proa::apiserver
