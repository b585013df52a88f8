#pragma once

#include <span>
#include <string_view>

#include "api/object/edit.h"
#include "api/validation/field_errors.h"

namespace proa::apiserver {

// Which families of addresses a Service has: fills in ipFamilyPolicy and ipFamilies where they were
// left out, and takes the second address and family off a Service that shall have one only. `spec`
// and `old` (which may be absent) are those of Services that are valid in themselves; `configured`
// are the families of this cluster, the ordinary one first. As upstream's initIPFamilyFields.
void settle_ip_families(api::Edit spec, api::View old, std::span<const std::string_view> configured,
                        api::FieldErrors& errors);

}  // namespace proa::apiserver
