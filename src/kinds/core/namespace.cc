#include "kinds/core/namespace.h"

#include <algorithm>

namespace proa::kinds {

namespace namespaces {

void default_namespace(api::Edit object) {
  const std::string_view name = object["metadata"]["name"].text();
  if (name.empty()) return;
  object.object("metadata").object("labels").set("kubernetes.io/metadata.name", name);
}

constexpr std::string_view kFinalizer = "kubernetes";

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"}, {.name = "Status"}, {.name = "Age"}};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.text(object["status"]["phase"].text());
  cells.age(object["metadata"]["creationTimestamp"]);
}

void prepare_create(api::Edit object, const Writer&) {
  object.object("status").set("phase", "Active");
  const api::Edit finalizers = object.object("spec").array("finalizers");
  const auto items = finalizers.view().items();
  const bool has_ours = std::any_of(items.begin(), items.end(), [](const json::Value& item) {
    return View(item).text() == kFinalizer;
  });
  if (!has_ours) finalizers.push(json::Value::borrowed(kFinalizer));
  // A generated name did not exist yet when defaults were set.
  default_namespace(object);
}

void prepare_update(api::Edit object, View old, const Writer&) {
  object.object("spec").copy("finalizers", old["spec"]["finalizers"]);
  default_namespace(object);
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec.finalizers");
  for (const View finalizer : object["spec"]["finalizers"].items()) {
    validate_namespace_finalizer(finalizer.text(), path, errors);
  }
}

void validate_status_update(View object, View, api::FieldErrors& errors) {
  const api::Path path("status.Phase");
  const std::string_view phase = object["status"]["phase"].text();
  const bool deleted = object["metadata"]["deletionTimestamp"].exists();
  if (deleted && phase != "Terminating") {
    errors.invalid(path, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
  } else if (!deleted && phase != "Active") {
    errors.invalid(path, phase, "may only be 'Active' if `deletionTimestamp` is empty");
  }
}

constexpr TypeDefaults kDefaults[] = {{"v1/Namespace", default_namespace}};

}  // namespace namespaces

void validate_namespace_finalizer(std::string_view name, const api::Path& path,
                                  api::FieldErrors& errors) {
  errors.invalid_each(path, name, api::check_qualified_name(name));
  if (name.find('/') != std::string_view::npos) return;
  if (name != namespaces::kFinalizer && name != "orphan" && name != "foregroundDeletion") {
    errors.invalid(path, name,
                   "name is neither a standard finalizer name nor is it fully qualified");
  }
}

void validate_namespace_finalize(View object, View, api::FieldErrors& errors) {
  const api::Path path("spec.finalizers");
  size_t index = 0;
  for (const View finalizer : object["spec"]["finalizers"].items()) {
    validate_namespace_finalizer(finalizer.text(), path.index(index++), errors);
  }
}

KindRules namespace_rules() {
  return {.kind = "v1/Namespace",
          .name = api::check_dns1123_label,
          .metadata = {.update = "MU"},
          .defaults = namespaces::kDefaults,
          .prepare_create = namespaces::prepare_create,
          .prepare_update = namespaces::prepare_update,
          .validate = namespaces::validate,
          .validate_status_update = namespaces::validate_status_update,
          .columns = namespaces::kColumns,
          .row = namespaces::row};
}

}  // namespace proa::kinds
