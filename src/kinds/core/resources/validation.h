#pragma once

#include <string_view>

#include "api/quantity.h"
#include "kinds/rules.h"

namespace proa::kinds {

// Names that quotas know without a domain: "requests.cpu", "services".
bool is_standard_quota_resource(std::string_view name);

void validate_resource_name(std::string_view name, const api::Path& path, api::FieldErrors& errors);
void validate_container_resource_name(std::string_view name, const api::Path& path,
                                      api::FieldErrors& errors);
void validate_quota_resource_name(std::string_view name, const api::Path& path,
                                  api::FieldErrors& errors);

// Zero where there is none: decoding let nothing through that is no quantity.
api::Quantity quantity_of(View value);
// Neither negative, nor a fraction where there are none.
void validate_resource_quantity(std::string_view name, View value, const api::Path& path,
                                api::FieldErrors& errors);
void validate_positive_quantity(View value, const api::Path& path, api::FieldErrors& errors);

}  // namespace proa::kinds
