#include "kinds/networking/ingress_class.h"

#include "api/validation/metadata.h"
#include "kinds/networking/references.h"

namespace proa::kinds {

namespace ingress_class {

constexpr size_t kMaxControllerBytes = 250;
constexpr std::string_view kDefaultAnnotation = "ingressclass.kubernetes.io/is-default-class";

void validate_parameters(View parameters, const api::Path& path, api::FieldErrors& errors) {
  validate_typed_reference(parameters, path, errors);
  const View scope = parameters["scope"];
  const View space = parameters["namespace"];
  if (!scope.exists()) {
    errors.required(path.field("scope"));
  } else if (scope.text() == "Namespace") {
    if (!space.exists()) {
      errors.required(path.field("namespace"), "`parameters.scope` is set to 'Namespace'");
    } else {
      errors.invalid_each(path.field("namespace"), space.text(),
                          api::check_dns1123_label(space.text()));
    }
  } else if (scope.text() != "Cluster") {
    errors.not_supported(path.field("scope"), scope.text(), {"Cluster", "Namespace"});
  } else if (space.exists()) {
    errors.forbidden(path.field("namespace"), "`parameters.scope` is set to 'Cluster'");
  }
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  const std::string_view controller = spec["controller"].text();
  const api::Path controller_path = path.field("controller");
  if (controller.size() > kMaxControllerBytes)
    errors.too_long(controller_path, kMaxControllerBytes);
  if (controller.empty()) {
    errors.required(controller_path);
  } else {
    errors.invalid_each(controller_path, controller, api::check_domain_prefixed_path(controller));
  }
  if (spec["parameters"].exists())
    validate_parameters(spec["parameters"], path.field("parameters"), errors);
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  api::validate_immutable(object["spec"]["controller"], old["spec"]["controller"],
                          api::Path("spec.controller"), errors);
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Controller", .description = "Who answers for ingresses of this class."},
    {.name = "Parameters", .description = "Where its settings are."},
    {.name = "Age"},
};

std::string parameters_text(View parameters) {
  if (!parameters.exists()) return "<none>";
  std::string text(parameters["kind"].text());
  if (parameters["apiGroup"].exists()) text.append(".").append(parameters["apiGroup"].text());
  return text.append("/").append(parameters["name"].text());
}

void row(View object, Cells& cells) {
  std::string name(object["metadata"]["name"].text());
  if (object["metadata"]["annotations"][kDefaultAnnotation].text() == "true") name += " (default)";
  cells.text(name);
  cells.text(object["spec"]["controller"].text());
  cells.text(parameters_text(object["spec"]["parameters"]));
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace ingress_class

KindRules ingress_class_rules() {
  return {
      .kind = "networking.k8s.io/v1/IngressClass",
      .metadata = {.update = "UM"},
      .validate = ingress_class::validate,
      .validate_update = ingress_class::validate_update,
      .update_comes_first = true,
      .columns = ingress_class::kColumns,
      .row = ingress_class::row,
  };
}

}  // namespace proa::kinds
