#pragma once

#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace proa::kinds {

// Converts an object to another version of its kind, by the conversions in its KindRules
// (HorizontalPodAutoscaler in autoscaling/v1 and v2, Event in v1 and events.k8s.io/v1). Versions
// are written as in apiVersion. Converting to the same version copies; to a version that the kind
// does not have fails with kBadRequest. REQUIRES: the object was decoded as `from` and `kind`.
Result<json::Document> convert(const json::Document& object, std::string_view from,
                               std::string_view to, std::string_view kind);

}  // namespace proa::kinds
