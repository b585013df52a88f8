#pragma once

#include <string_view>

#include "api/quantity.h"
#include "kinds/rules.h"

namespace proa::kinds {

// Quota resource names without a domain: "requests.cpu", "services".
bool is_standard_quota_resource(std::string_view name);

void validate_resource_name(std::string_view name, const api::Path& path, api::FieldErrors& errors);
void validate_container_resource_name(std::string_view name, const api::Path& path,
                                      api::FieldErrors& errors);
void validate_quota_resource_name(std::string_view name, const api::Path& path,
                                  api::FieldErrors& errors);

// Zero if absent. REQUIRES: the value was decoded as a quantity.
api::Quantity quantity_of(View value);
// Not negative, and an integer for integer resources.
void validate_resource_quantity(std::string_view name, View value, const api::Path& path,
                                api::FieldErrors& errors);
void validate_positive_quantity(View value, const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds
