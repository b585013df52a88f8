#include "kinds/admissionregistration/admission_policy_binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "api/validation/metadata.h"
#include "base/strings.h"
#include "kinds/admissionregistration/admission_match.h"
#include "kinds/checks/fields.h"

namespace proa::kinds {

namespace admission_policy_binding {

void validate_param(View param, const api::Path& path, api::FieldErrors& errors) {
  if (!param) return;
  constexpr std::string_view kBoth = "name and selector are mutually exclusive";
  const bool named = !param["name"].text().empty();
  const View selector = param["selector"];
  if (named) {
    check_text(param["name"], api::check_path_segment, path.field("name"), errors);
    if (selector) errors.forbidden(path.field("name"), kBoth);
  }
  if (selector) {
    api::validate_label_selector(selector, path.field("selector"), errors);
    if (named) errors.forbidden(path.field("selector"), kBoth);
  }
  if (!named && !selector) errors.required(path, "one of name or selector must be specified");
  require_one_of(param["parameterNotFoundAction"], {"Deny", "Allow"},
                 path.field("parameterNotFoundAction"), errors);
}

void validate_common(View spec, const api::Path& path, api::FieldErrors& errors) {
  if (require_text(spec, "policyName", path, errors)) {
    check_text(spec["policyName"], api::check_dns1123_subdomain, path.field("policyName"), errors);
  }
  validate_param(spec["paramRef"], path.field("paramRef"), errors);
  validate_match_resources(spec["matchResources"], path.field("matchResources"), errors);
}

void validate_mutating(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  validate_common(object["spec"], path, errors);
  validate_mutating_operations(object["spec"]["matchResources"], path.field("matchResources"),
                               errors);
}

void validate_validating(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  validate_common(object["spec"], path, errors);
  const View actions = object["spec"]["validationActions"];
  const api::Path actions_path = path.field("validationActions");
  std::set<std::string_view> seen;
  each(actions, actions_path, [&](View action, const api::Path& at) {
    check_one_of(action, {"Audit", "Deny", "Warn"}, at, errors);
    if (!seen.insert(action.text()).second) errors.duplicate(at, action);
  });
  if (seen.contains("Deny") && seen.contains("Warn")) {
    errors.invalid(actions_path, actions,
                   "must not contain both Deny and Warn (repeating the same validation failure "
                   "information in the API response and headers serves no purpose)");
  }
  if (seen.empty()) {
    errors.required(actions_path, "at least one validation action is required");
  }
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "PolicyName", .description = "The policy that applies."},
    {.name = "ParamRef", .description = "Where its parameters are."},
    {.name = "Age"},
};

// As Go prints the struct.
std::string selector_text(View selector) {
  std::vector<std::string> labels;
  for (const json::Member& label : selector["matchLabels"].members()) {
    labels.push_back(fmt::format("{}: {},", label.key, View(label.value).text()));
  }
  std::sort(labels.begin(), labels.end());
  std::string expressions;
  for (const View expression : selector["matchExpressions"].items()) {
    std::vector<std::string_view> values;
    for (const View value : expression["values"].items()) values.push_back(value.text());
    expressions +=
        fmt::format("LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},",
                    expression["key"].text(), expression["operator"].text(), join(values, " "));
  }
  return fmt::format(
      "&LabelSelector{{MatchLabels:map[string]string{{{}}},MatchExpressions:"
      "[]LabelSelectorRequirement{{{}}},}}",
      join(labels, ""), expressions);
}

std::string param_text(View param) {
  const std::string_view name = param["name"].text();
  if (name.empty()) return param["selector"] ? selector_text(param["selector"]) : "<unset>";
  const std::string_view space = param["namespace"].text();
  return fmt::format("{}/{}", space.empty() ? "*" : space, name);
}

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.text(object["spec"]["policyName"].text());
  cells.text(param_text(object["spec"]["paramRef"]));
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace admission_policy_binding

KindRules mutating_admission_policy_binding_rules() {
  return {.kind = "admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding",
          .metadata = {.create = "m", .update = "m"},
          .validate = admission_policy_binding::validate_mutating,
          .columns = admission_policy_binding::kColumns,
          .row = admission_policy_binding::row};
}

KindRules validating_admission_policy_binding_rules() {
  return {.kind = "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding",
          .metadata = {.create = "m", .update = "m"},
          .validate = admission_policy_binding::validate_validating,
          .columns = admission_policy_binding::kColumns,
          .row = admission_policy_binding::row};
}

}  // namespace proa::kinds
