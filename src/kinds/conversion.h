#pragma once

#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace proa::kinds {

// An object in another version of its kind, where a kind is served in more versions than it is
// stored in: HorizontalPodAutoscaler in autoscaling/v1 and v2, Event in v1 and events.k8s.io/v1.
// Both directions; what the other form has no fields for goes into annotations, as upstream's does.
// Versions as in apiVersion. The same version gives a copy; one that the kind does not have is
// kBadRequest. REQUIRES: the object was decoded as what it claims to be.
Result<json::Document> convert(const json::Document& object, std::string_view from,
                               std::string_view to, std::string_view kind);

}  // namespace proa::kinds
