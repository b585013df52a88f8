#pragma once

#include <span>
#include <string_view>

#include "api/object/edit.h"
#include "api/validation/field_errors.h"

namespace proa::apiserver {

// Defaults ipFamilyPolicy and ipFamilies of a Service, and removes the second address and family
// when it becomes single-stack. `spec` and `old` (may be absent) are of valid Services;
// `configured` are the cluster's families, the primary one first. As upstream's initIPFamilyFields.
void settle_ip_families(api::Edit spec, api::View old, std::span<const std::string_view> configured,
                        api::FieldErrors& errors);

}  // namespace proa::apiserver
