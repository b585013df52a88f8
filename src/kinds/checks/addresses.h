#pragma once

#include <string_view>

#include "kinds/rules.h"

namespace proa::kinds {

// An IPv4 and an IPv6 address, in any order.
bool is_dual_stack(std::string_view first, std::string_view second);

// Addresses that something can be reached at: Endpoints, EndpointSlices and external addresses.
void validate_endpoint_address(std::string_view address, const api::Path& path,
                               api::FieldErrors& errors);
// About notations that work, but mean something else to others. Values that are no addresses at all
// are for validation.
void warn_about_address(std::string_view address, const api::Path& path, Warnings& warnings);
void warn_about_network(std::string_view network, const api::Path& path, Warnings& warnings);

}  // namespace proa::kinds
