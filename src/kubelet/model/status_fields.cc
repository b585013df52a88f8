#include "kubelet/model/status_fields.h"

namespace proa::kubelet {

bool is_final_phase(std::string_view phase) { return phase == "Succeeded" || phase == "Failed"; }

api::View find_condition(api::View status, std::string_view type) {
  for (const api::View condition : status["conditions"].items()) {
    if (condition["type"].text() == type) return condition;
  }
  return {};
}

api::View find_container_status(api::View statuses, std::string_view name) {
  for (const api::View status : statuses.items()) {
    if (status["name"].text() == name) return status;
  }
  return {};
}

}  // namespace proa::kubelet
