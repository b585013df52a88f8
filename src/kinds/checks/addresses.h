#pragma once

#include <string_view>

#include "kinds/rules.h"

namespace proa::kinds {

// One IPv4 and one IPv6 address, in any order.
bool is_dual_stack(std::string_view first, std::string_view second);

// Addresses in Endpoints, EndpointSlices and external IPs.
void validate_endpoint_address(std::string_view address, const api::Path& path,
                               api::FieldErrors& errors);
// Warns about notations that other programs may interpret differently. Ignores values that are not
// addresses: validation rejects those.
void warn_about_address(std::string_view address, const api::Path& path, Warnings& warnings);
void warn_about_network(std::string_view network, const api::Path& path, Warnings& warnings);

}  // namespace proa::kinds
