#include "kinds/core/component_status.h"

namespace proa::kinds {

namespace component_status {

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"}, {.name = "Status"}, {.name = "Message"}, {.name = "Error"}};

void row(View object, Cells& cells) {
  View healthy;
  for (const View condition : object["conditions"].items()) {
    if (condition["type"].text() != "Healthy") continue;
    healthy = condition;
    break;
  }
  cells.text(object["metadata"]["name"].text());
  cells.text(!healthy ? "Unknown" : healthy["status"].text() == "True" ? "Healthy" : "Unhealthy");
  cells.text(healthy["message"].text());
  cells.text(healthy["error"].text());
}

}  // namespace component_status

KindRules component_status_rules() {
  return {.kind = "v1/ComponentStatus",
          .columns = component_status::kColumns,
          .row = component_status::row};
}

}  // namespace proa::kinds
