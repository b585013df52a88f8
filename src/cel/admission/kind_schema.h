#pragma once

#include "api/schema/model.h"
#include "json/value.h"

namespace proa::cel {

// The structural schema of a built-in kind, with all that it refers to: as expressions of policies
// see it when their types are checked. As upstream, a type within itself is an object without
// fields, and quantities have no type.
json::Document kind_schema(const api::Type& kind);

}  // namespace proa::cel
