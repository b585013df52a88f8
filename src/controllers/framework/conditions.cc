#include "controllers/framework/conditions.h"

namespace proa::controllers {
namespace conditions {

using api::Edit;

void stamp(Edit condition, ConditionTimes times, const std::string& now) {
  if (times == ConditionTimes::kTransitionAndUpdate) condition.set("lastUpdateTime", now);
  if (times == ConditionTimes::kTransitionAndProbe) condition.set("lastProbeTime", now);
}

// Empty texts are left out, as all of the API does it.
void put_text(Edit condition, std::string_view name, std::string_view text) {
  if (text.empty()) {
    condition.remove(name);
  } else {
    condition.set(name, text);
  }
}

void put_generation(Edit condition, const Condition& wanted) {
  if (wanted.observed_generation == 0) return;
  condition.set("observedGeneration", wanted.observed_generation);
}

void put(Edit condition, const Condition& wanted) {
  condition.set("status", wanted.status);
  put_text(condition, "reason", wanted.reason);
  put_text(condition, "message", wanted.message);
  put_generation(condition, wanted);
}

}  // namespace conditions

bool set_condition(api::Edit status, const Condition& wanted, Time now, ConditionTimes times) {
  const std::string stamp = format_time(now);
  const api::Edit list = status.array("conditions");
  for (size_t i = 0; i < list.size(); ++i) {
    const api::Edit one = list.item(i);
    if (one["type"].text() != wanted.type) continue;
    const bool turned = one["status"].text() != wanted.status;
    if (!turned && one["reason"].text() == wanted.reason &&
        one["message"].text() == wanted.message) {
      conditions::put_generation(one, wanted);
      return false;
    }
    if (turned) one.set("lastTransitionTime", stamp);
    conditions::stamp(one, times, stamp);
    conditions::put(one, wanted);
    return true;
  }
  const api::Edit added = list.push_object();
  added.set("type", wanted.type);
  conditions::stamp(added, times, stamp);
  added.set("lastTransitionTime", stamp);
  conditions::put(added, wanted);
  return true;
}

bool remove_condition(api::Edit status, std::string_view type) {
  if (!find_condition(status.view(), type)) return false;
  json::Value left = json::Value::array();
  for (const api::View one : status["conditions"].items()) {
    if (one["type"].text() != type)
      left.push_back(status.arena(), one.value()->copy(status.arena()));
  }
  status.set("conditions", std::move(left));
  return true;
}

api::View find_condition(api::View status, std::string_view type) {
  for (const api::View one : status["conditions"].items()) {
    if (one["type"].text() == type) return one;
  }
  return {};
}

bool condition_holds(api::View status, std::string_view type) {
  return find_condition(status, type)["status"].text() == "True";
}

}  // namespace proa::controllers
