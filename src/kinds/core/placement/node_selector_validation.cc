#include "kinds/core/placement/node_selector_validation.h"

namespace proa::kinds::pods {

namespace node_selector_validation {

// Preferences with impossible values are harmless, so they are accepted.
enum class Values : uint8_t { kChecked, kAny };

void check_requirement(View requirement, Values values, const Path& path, FieldErrors& errors) {
  const std::string_view operation = requirement["operator"].text();
  const View given = requirement["values"];
  const Path values_path = path.field("values");
  if (operation == "In" || operation == "NotIn") {
    if (given.empty())
      errors.required(values_path, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operation == "Exists" || operation == "DoesNotExist") {
    if (!given.empty()) {
      errors.forbidden(values_path,
                       "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (operation == "Gt" || operation == "Lt") {
    if (given.size() != 1) {
      errors.required(values_path,
                      "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    errors.invalid(path.field("operator"), operation, "not a valid selector operator");
  }
  check_text(requirement["key"], api::check_qualified_name, path.field("key"), errors);
  if (values == Values::kAny) return;
  each(given, values_path,
       [&](View value, const Path& at) { check_text(value, api::check_label_value, at, errors); });
}

void check_field_requirement(View requirement, const Path& path, FieldErrors& errors) {
  const std::string_view operation = requirement["operator"].text();
  const Path values_path = path.field("values");
  if (operation != "In" && operation != "NotIn") {
    errors.invalid(path.field("operator"), operation, "not a valid selector operator");
  } else if (requirement["values"].size() != 1) {
    errors.required(
        values_path,
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (requirement["key"].text() != "metadata.name") {
    errors.invalid(path.field("key"), requirement["key"].text(), "not a valid field selector key");
    return;
  }
  each(requirement["values"], values_path, [&](View value, const Path& at) {
    check_text(value, api::check_dns1123_subdomain, at, errors);
  });
}

void check_term(View term, Values values, const Path& path, FieldErrors& errors) {
  each(term["matchExpressions"], path.field("matchExpressions"),
       [&](View requirement, const Path& at) {
         check_requirement(requirement, values, at, errors);
       });
  each(term["matchFields"], path.field("matchFields"),
       [&](View requirement, const Path& at) { check_field_requirement(requirement, at, errors); });
}

}  // namespace node_selector_validation

void validate_node_selector(View selector, const Path& path, FieldErrors& errors) {
  const View terms = selector["nodeSelectorTerms"];
  const Path terms_path = path.field("nodeSelectorTerms");
  if (terms.empty())
    return errors.required(terms_path, "must have at least one node selector term");
  each(terms, terms_path, [&](View term, const Path& at) {
    node_selector_validation::check_term(term, node_selector_validation::Values::kChecked, at,
                                         errors);
  });
}

void validate_preferred_node_term(View term, const Path& path, FieldErrors& errors) {
  node_selector_validation::check_term(term, node_selector_validation::Values::kAny, path, errors);
}

}  // namespace proa::kinds::pods
