#include "kinds/authorization/subject_access_review.h"

#include <fmt/format.h>

#include "kinds/checks/fields.h"

// Reviews are answered and never stored. SelfSubjectRulesReview has no fields to validate.

namespace proa::kinds {

namespace subject_access_review {

void validate_requirement(View requirement, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view operation = requirement["operator"].text();
  const View values = requirement["values"];
  // Newer clients may use operators that are unknown here.
  if ((operation == "In" || operation == "NotIn") && values.empty()) {
    errors.required(path.field("values"), "must be specified when `operator` is 'In' or 'NotIn'");
  } else if ((operation == "Exists" || operation == "DoesNotExist") && !values.empty()) {
    errors.forbidden(path.field("values"),
                     "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  }
}

void validate_label_requirement(View requirement, const api::Path& path, api::FieldErrors& errors) {
  validate_requirement(requirement, path, errors);
  check_text(requirement["key"], api::check_qualified_name, path.field("key"), errors);
  const api::Path values_path = path.field("values");
  each(requirement["values"], values_path, [&](View value, const api::Path& at) {
    check_text(value, api::check_label_value, at, errors);
  });
}

void validate_field_requirement(View requirement, const api::Path& path, api::FieldErrors& errors) {
  if (requirement["key"].text().empty()) errors.required(path.field("key"), "must be specified");
  validate_requirement(requirement, path, errors);
}

using RequirementCheck = void (*)(View requirement, const api::Path& path,
                                  api::FieldErrors& errors);

void validate_selector(View selector, const api::Path& path, RequirementCheck check,
                       api::FieldErrors& errors) {
  if (!selector) return;
  const View raw = selector["rawSelector"];
  const View requirements = selector["requirements"];
  const api::Path requirements_path = path.field("requirements");
  if (!raw.text().empty() && !requirements.empty()) {
    errors.invalid(path.field("rawSelector"), raw.text(),
                   "may not specified at the same time as requirements");
  }
  if (raw.text().empty() && requirements.empty()) {
    errors.required(
        requirements_path,
        fmt::format("when {} is specified, requirements or rawSelector is required", path.str()));
  }
  each(requirements, requirements_path,
       [&](View requirement, const api::Path& at) { check(requirement, at, errors); });
}

void validate_attributes(View spec, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View resource = spec["resourceAttributes"];
  const View other = spec["nonResourceAttributes"];
  if (resource && other) {
    errors.invalid(path.field("nonResourceAttributes"), other,
                   "cannot be specified in combination with resourceAttributes");
  }
  if (!resource && !other) {
    errors.invalid(path.field("resourceAttributes"), other,
                   "exactly one of nonResourceAttributes or resourceAttributes must be specified");
  }
}

void validate_selectors(View spec, api::FieldErrors& errors) {
  const api::Path path("spec.resourceAttributes");
  const View resource = spec["resourceAttributes"];
  validate_selector(resource["fieldSelector"], path.field("fieldSelector"),
                    validate_field_requirement, errors);
  validate_selector(resource["labelSelector"], path.field("labelSelector"),
                    validate_label_requirement, errors);
}

void validate_subject(View spec, api::FieldErrors& errors) {
  if (spec["user"].text().empty() && spec["groups"].empty()) {
    errors.invalid(api::Path("spec.user"), "", "at least one of user or group must be specified");
  }
}

// Reviews are not stored, so they need no name.
api::Problems check_nothing(std::string_view) { return {}; }

bool has_metadata(View metadata, bool may_have_namespace) {
  for (const json::Member& member : metadata.members()) {
    if (member.key == "managedFields" || !View(member.value)) continue;
    if (member.key == "namespace" && may_have_namespace) continue;
    return true;
  }
  return false;
}

void validate_no_metadata(View object, api::FieldErrors& errors) {
  if (has_metadata(object["metadata"], false)) {
    errors.invalid(api::Path("metadata"), object["metadata"], "must be empty");
  }
}

void validate_subject_access(View object, api::FieldErrors& errors) {
  validate_attributes(object["spec"], errors);
  validate_subject(object["spec"], errors);
  validate_selectors(object["spec"], errors);
  validate_no_metadata(object, errors);
}

void validate_self_subject_access(View object, api::FieldErrors& errors) {
  validate_attributes(object["spec"], errors);
  validate_selectors(object["spec"], errors);
  validate_no_metadata(object, errors);
}

void validate_local_subject_access(View object, api::FieldErrors& errors) {
  const View spec = object["spec"];
  validate_attributes(spec, errors);
  validate_subject(spec, errors);
  validate_selectors(spec, errors);
  if (has_metadata(object["metadata"], true)) {
    errors.invalid(api::Path("metadata"), object["metadata"], "must be empty except for namespace");
  }
  const View resource = spec["resourceAttributes"];
  if (resource && resource["namespace"].text() != object["metadata"]["namespace"].text()) {
    errors.invalid(api::Path("spec.resourceAttributes.namespace"), resource["namespace"].text(),
                   "must match metadata.namespace");
  }
  if (spec["nonResourceAttributes"]) {
    errors.invalid(api::Path("spec.nonResourceAttributes"), spec["nonResourceAttributes"],
                   "disallowed on this kind of request");
  }
}

}  // namespace subject_access_review

KindRules subject_access_review_rules() {
  return {.kind = "authorization.k8s.io/v1/SubjectAccessReview",
          .name = subject_access_review::check_nothing,
          .validate = subject_access_review::validate_subject_access};
}

KindRules local_subject_access_review_rules() {
  return {.kind = "authorization.k8s.io/v1/LocalSubjectAccessReview",
          .name = subject_access_review::check_nothing,
          .validate = subject_access_review::validate_local_subject_access};
}

KindRules self_subject_access_review_rules() {
  return {.kind = "authorization.k8s.io/v1/SelfSubjectAccessReview",
          .name = subject_access_review::check_nothing,
          .validate = subject_access_review::validate_self_subject_access};
}

}  // namespace proa::kinds
