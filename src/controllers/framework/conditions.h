#pragma once

#include <string>
#include <string_view>

#include "api/object/edit.h"
#include "base/time.h"

namespace proa::controllers {

// A condition in a status.
struct Condition {
  std::string_view type;
  std::string_view status;  // "True", "False", "Unknown"
  std::string_view reason = {};
  std::string message = {};
  int64_t observed_generation = 0;  // generation of the object; zero: not recorded
};

// The times in a kind's conditions besides lastTransitionTime.
enum class ConditionTimes : uint8_t {
  kTransition,
  kTransitionAndUpdate,  // lastUpdateTime: last change of any field
  kTransitionAndProbe,   // lastProbeTime: the same under another name
};

// Sets the condition in "conditions" of `status`; true if anything but the observed generation
// changed. lastTransitionTime changes only with the condition's status.
bool set_condition(api::Edit status, const Condition& wanted, Time now,
                   ConditionTimes times = ConditionTimes::kTransition);
// True if it existed.
bool remove_condition(api::Edit status, std::string_view type);
// Absent if there is none of that type.
api::View find_condition(api::View status, std::string_view type);
bool condition_holds(api::View status, std::string_view type);

}  // namespace proa::controllers
