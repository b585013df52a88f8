#include "kinds/flowcontrol/status.h"

#include <set>

#include "kinds/checks/fields.h"

namespace proa::kinds {

void validate_flow_control_status(View object, api::FieldErrors& errors) {
  const api::Path path("status.conditions");
  std::set<std::string_view> seen;
  each(object["status"]["conditions"], path, [&](View condition, const api::Path& at) {
    const std::string_view type = condition["type"].text();
    if (!seen.insert(type).second) errors.duplicate(at.field("type"), type);
    require_text(condition, "type", at, errors);
  });
}

}  // namespace proa::kinds
