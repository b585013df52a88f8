#pragma once

#include "api/object/object.h"
#include "api/schema/resource.h"
#include "base/clock.h"
#include "base/result.h"

namespace proa::apiserver {

// A stored object in the version of `resource`: itself, where it is stored in that version.
Result<api::ObjectPtr> served_object(const api::ObjectPtr& stored, const api::Resource& resource,
                                     const Clock& clock);

}  // namespace proa::apiserver
