#pragma once

#include "api/apply/fields/field_set.h"
#include "api/schema/resource.h"

namespace proa::apiserver {

// The fields that writes of the resource, or of a subresource, cannot change (upstream's
// GetResetFields of the strategies): nobody comes to own them by such a write. The set lives as
// long as the program. `subresource` may be null.
api::FieldSet reset_fields(const api::Resource& resource, const api::Subresource* subresource);

}  // namespace proa::apiserver
