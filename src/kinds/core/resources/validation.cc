#include "kinds/core/resources/validation.h"

#include "kinds/core/resources/resources.h"

namespace proa::kinds {

namespace resources {

// Without a domain.
bool is_short(std::string_view name) { return name.find('/') == std::string_view::npos; }

}  // namespace resources

bool is_standard_quota_resource(std::string_view name) {
  // Quotas use "requests.storage" instead.
  return pods::is_standard_resource(name) && name != "storage";
}

void validate_resource_name(std::string_view name, const api::Path& path,
                            api::FieldErrors& errors) {
  const auto problems = api::check_qualified_name(name);
  if (!problems.empty()) return errors.invalid_each(path, name, problems);
  if (resources::is_short(name) && !pods::is_standard_resource(name)) {
    errors.invalid(path, name, "must be a standard resource type or fully qualified");
  }
}

void validate_container_resource_name(std::string_view name, const api::Path& path,
                                      api::FieldErrors& errors) {
  validate_resource_name(name, path, errors);
  if (resources::is_short(name)) {
    if (!pods::is_container_resource(name)) {
      errors.invalid(path, name, "must be a standard resource for containers");
    }
  } else if (!pods::is_native_resource(name) && !pods::is_extended_resource(name)) {
    errors.invalid(path, name, "doesn't follow extended resource name standard");
  }
}

void validate_quota_resource_name(std::string_view name, const api::Path& path,
                                  api::FieldErrors& errors) {
  validate_resource_name(name, path, errors);
  if (resources::is_short(name) && !is_standard_quota_resource(name)) {
    errors.invalid(path, name, "must be a standard resource for quota");
  }
}

api::Quantity quantity_of(View value) {
  auto parsed = api::Quantity::parse(value.text("0"));
  return parsed.ok() ? *std::move(parsed) : api::Quantity();
}

void validate_resource_quantity(std::string_view name, View value, const api::Path& path,
                                api::FieldErrors& errors) {
  const api::Quantity quantity = quantity_of(value);
  if (quantity.sign() < 0) {
    errors.invalid(path, quantity.str(), "must be greater than or equal to 0");
  }
  if (pods::is_integer_resource(name) && quantity.milli_value() % 1000 != 0) {
    errors.invalid(path, quantity.str(), "must be an integer");
  }
}

void validate_positive_quantity(View value, const api::Path& path, api::FieldErrors& errors) {
  const api::Quantity quantity = quantity_of(value);
  if (quantity.sign() <= 0) errors.invalid(path, quantity.str(), "must be greater than zero");
}

}  // namespace proa::kinds
