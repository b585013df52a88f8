#include "kinds/apps/controller_revision.h"

#include "api/validation/metadata.h"
#include "base/strings.h"

namespace proa::kinds {

namespace controller_revision {

void validate(View object, api::FieldErrors& errors) {
  api::validate_non_negative(object["revision"], api::Path("revision"), errors);
}

void validate_create(View object, api::FieldErrors& errors) {
  const api::Path path("data");
  const View data = object["data"];
  if (!data.exists()) {
    errors.required(path, "data is mandatory");
  } else if (!data.is(json::Kind::kObject)) {
    errors.required(path, "data must be a valid JSON object");
  }
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  api::validate_immutable(object["data"], old["data"], api::Path("data"), errors);
}

// "statefulset.apps/web".
std::string controller_text(View object) {
  for (const View owner : object["metadata"]["ownerReferences"].items()) {
    if (!owner["controller"].flag()) continue;
    std::string text = to_lower(owner["kind"].text());
    const auto version = split_once(owner["apiVersion"].text(), '/');
    if (version) text += "." + to_lower(version->before);
    return text + "/" + std::string(owner["name"].text());
  }
  return "<none>";
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Controller", .description = "Who made it, and goes back to it."},
    {.name = "Revision", .description = "Which in the history of its controller."},
    {.name = "Age"},
};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.text(controller_text(object));
  cells.number(object["revision"].integer());
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace controller_revision

KindRules controller_revision_rules() {
  return {
      .kind = "apps/v1/ControllerRevision",
      .validate = controller_revision::validate,
      .validate_create = controller_revision::validate_create,
      .validate_update = controller_revision::validate_update,
      .columns = controller_revision::kColumns,
      .row = controller_revision::row,
  };
}

}  // namespace proa::kinds
