#include "apiserver/resources/subresources/conditions.h"

#include <string>

namespace proa::apiserver {
namespace conditions {

// The index of the condition; the size of the list if there is none.
size_t place_of(api::View list, std::string_view type) {
  size_t place = 0;
  while (place < list.size() && list.item(place)["type"].text() != type) ++place;
  return place;
}

}  // namespace conditions

api::View find_condition(api::View status, std::string_view type) {
  const api::View list = status["conditions"];
  return list.item(conditions::place_of(list, type));
}

void set_condition(api::Edit status, const Condition& condition, Time now) {
  const api::Edit list = status.array("conditions");
  const size_t place = conditions::place_of(list.view(), condition.type);
  const api::Edit entry = place == list.size() ? list.push_object() : list.item(place);
  const api::View since = entry["lastTransitionTime"];
  const bool stays = since.exists() && entry["status"].text() == condition.status;
  const std::string transition = stays ? std::string(since.text()) : format_time(now);
  entry.value() = json::Value::object();
  entry.set("type", condition.type);
  entry.set("status", condition.status);
  entry.set("lastTransitionTime", transition);
  if (!condition.reason.empty()) entry.set("reason", condition.reason);
  if (!condition.message.empty()) entry.set("message", condition.message);
  if (condition.observed_generation != 0) {
    entry.set("observedGeneration", condition.observed_generation);
  }
}

}  // namespace proa::apiserver
