#pragma once

#include <string>
#include <string_view>

#include "api/object/edit.h"
#include "base/time.h"

namespace proa::controllers {

// One of the conditions that statuses state.
struct Condition {
  std::string_view type;
  std::string_view status;  // "True", "False", "Unknown"
  std::string_view reason = {};
  std::string message = {};
  int64_t observed_generation = 0;  // of the object that it was said of; zero: nobody says
};

// Which times a kind's conditions carry besides lastTransitionTime.
enum class ConditionTimes : uint8_t {
  kTransition,
  kTransitionAndUpdate,  // lastUpdateTime: of the last change of any field
  kTransitionAndProbe,   // lastProbeTime: the same, under another name
};

// Puts it into "conditions" of `status`; true when something changed but the generation that was
// observed. The time of transition moves with the condition's status only.
bool set_condition(api::Edit status, const Condition& wanted, Time now,
                   ConditionTimes times = ConditionTimes::kTransition);
// True when it was there.
bool remove_condition(api::Edit status, std::string_view type);
// Absent when there is none of that type.
api::View find_condition(api::View status, std::string_view type);
bool condition_holds(api::View status, std::string_view type);

}  // namespace proa::controllers
