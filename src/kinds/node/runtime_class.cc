#include "kinds/node/runtime_class.h"

#include <fmt/format.h>

#include <set>
#include <string>

#include "api/validation/metadata.h"
#include "kinds/core/placement/node_labels.h"
#include "kinds/core/pods/containers/requirements.h"
#include "kinds/core/pods/spec/scheduling.h"

namespace proa::kinds {

namespace runtime_class {

void validate_tolerations(View tolerations, const api::Path& path, api::FieldErrors& errors) {
  pods::validate_tolerations(tolerations, path, errors);
  std::set<std::string> seen;
  for (size_t i = 0; i < tolerations.size(); ++i) {
    std::string key;
    for (const std::string_view part : {"key", "operator", "value", "effect"})
      key.append(tolerations.item(i)[part].text()).push_back('\0');
    if (!seen.insert(std::move(key)).second) errors.duplicate(path.index(i), tolerations.item(i));
  }
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path handler_path("handler");
  const std::string_view handler = object["handler"].text();
  if (handler.empty()) {
    errors.required(handler_path);
  } else {
    errors.invalid_each(handler_path, handler, api::check_dns1123_label(handler));
  }
  if (object["overhead"].exists())
    pods::validate_overhead(object["overhead"]["podFixed"], api::Path("overhead"), errors);
  const View scheduling = object["scheduling"];
  if (!scheduling.exists()) return;
  const api::Path path("scheduling");
  api::validate_labels(scheduling["nodeSelector"], path.field("nodeSelector"), errors);
  validate_tolerations(scheduling["tolerations"], path.field("tolerations"), errors);
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  api::validate_immutable(object["handler"], old["handler"], api::Path("handler"), errors);
}

void warn(View object, View /*old*/, Warnings& warnings) {
  for (const json::Member& label : object["scheduling"]["nodeSelector"].members()) {
    const std::string_view message = deprecated_node_label(label.key);
    if (!message.empty()) warnings.push_back("scheduling.nodeSelector: " + std::string(message));
  }
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Handler", .description = "What the container runtime calls it."},
    {.name = "Age"},
};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.text(object["handler"].text());
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace runtime_class

KindRules runtime_class_rules() {
  return {
      .kind = "node.k8s.io/v1/RuntimeClass",
      .metadata = {.create = "m", .update = "mu"},
      .validate = runtime_class::validate,
      .validate_update = runtime_class::validate_update,
      .warn = runtime_class::warn,
      .columns = runtime_class::kColumns,
      .row = runtime_class::row,
  };
}

}  // namespace proa::kinds
